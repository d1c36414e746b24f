"""The table of cases: what is measured, on which data, with which answer, and the bar it must meet.

x is the most edges of a pattern. Gaston's instructions were counted with the same tool (callgrind, whole program).
"""

from kinds import AllSizes, Fit, FrequentMining, Instructions, LargePatterns
from molecules import DefaultTraining, Doubling, Scoring, SmilesToModel, TwoThreads
from rows import at_least, at_most

CPDB, NCI1, ECFP = "paper/cpdb.gsp.gz", "tu/NCI1", "paper/nci1_ecfp.gsp.gz"
CHEMICAL, HIV = "gspan/chemical_340.gsp", "moleculenet/HIV.csv"
TRAINING = at_least(20)
# Peers that only inform: libraries with their defaults, which stop where leaves get small.
DEFAULTS = {"xgboost": None, "lightgbm": None}

CENSUS = ("--engine", "census")

CASES = [
    Fit("cpdb6", CPDB, 6, 8_238, {"xgboost-free": at_least(10), "lightgbm-free": at_least(8), **DEFAULTS, "sklearn": None}, TRAINING),
    Fit("cpdb8", CPDB, 8, 33_052, {"xgboost-free": at_least(9), "lightgbm-free": None, **DEFAULTS}, TRAINING),
    Fit("nci1-8", NCI1, 8, 34_539, {"xgboost-free": at_least(5), "lightgbm-free": None, **DEFAULTS}, TRAINING, at_most(120, "MB")),
    Fit("ecfp4", ECFP, 4, 23_344, {"xgboost-free": at_least(12), "lightgbm-free": None, **DEFAULTS, "sklearn": None}, TRAINING),
    Instructions("gaston-cpdb8", CPDB, ("--max-edges", "8", *CENSUS), 235_175, 4.20, at_most(0.5)),
    Instructions("gaston-nci1-6", NCI1, ("--max-edges", "6", "--min-support", "2", *CENSUS), 8_906, 5.91, at_most(0.5)),
    Instructions("gaston-340-11", CHEMICAL, ("--min-support", "11"), 18_121, 1.51, at_most(1)),
    Instructions("gaston-340-7", CHEMICAL, ("--min-support", "7"), 136_949, 8.85, at_most(1)),
    FrequentMining("gspan-340-11", CHEMICAL, 11, 18_121, at_least(20)),
    SmilesToModel("hiv4", HIV, 4, at_least(3)),
    SmilesToModel("hiv6", HIV, 6, at_least(1.5), memory=at_most(450, "MB")),
    DefaultTraining("bbbp-default", "moleculenet/BBBP.csv", "p_np", at_least(1)),
    DefaultTraining("hiv-default", HIV, "HIV_active", at_least(1), memory=at_most(250, "MB")),
    TwoThreads("hiv6-threads", HIV, 6, at_least(1.7)),
    Scoring("scoring", HIV, 4, 41_120, at_least(4)),
    Doubling("doubling4", HIV, 4, (10_000, 20_000, 40_000), at_most(2.3)),
    Doubling("doubling6", HIV, 6, (10_000, 20_000, 40_000), at_most(2.3)),
    LargePatterns("cpdb12", CPDB, 12, cpu=at_most(24.5, "s"), memory=at_most(2000, "MB")),
    AllSizes(
        "nci1-none",
        NCI1,
        ("--preset", "paper", "--max-edges", "none", "--min-samples-leaf", "5", "--depth", "3", "--trees", "50"),
        counted=12,
        min_support=5,
        memory=at_most(4096, "MB"),
    ),
]
