"""The first prediction of a new installation: alcohols or not, by the package as installed."""

import spinney

alcohols = ["CO", "CCO", "CCCO", "CC(C)O", "OC1CCCC1", "OCc1ccccc1"]
others = ["CC", "CCC", "CCN", "CCCC", "C1CCCC1", "Cc1ccccc1"]
model = spinney.SpinneyClassifier(n_estimators=20, subsample=1, colsample=1)
model.fit(alcohols + others, [1] * len(alcohols) + [0] * len(others))
predicted = model.predict(["CCCCO", "CCCCC"]).tolist()
print(f"spinney {spinney.__version__} from {spinney.__file__}: {predicted}")
assert predicted == [1, 0]
