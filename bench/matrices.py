"""The finished 0/1 matrix that table learners get: one column per distinct support set, in CSR form.

Spinney lists all patterns up to a size with their graphs; patterns that occur in the same graphs are one column.
The work of making the matrix is not charged to the peers.
"""

import gzip
import hashlib
import json
import pathlib

import numpy
import scipy.sparse

from children import Failed


def build(spinney, data, max_edges, classes):
    """Path of the .npz file (CSR parts and `y`) for `data`; made once in a run, then reused."""
    target = spinney.folder / f"{pathlib.Path(data).name}-{max_edges}.npz"
    if target.exists():
        return target
    names, y = read_targets(data)
    _, listing = spinney.list(data, "--max-edges", max_edges)
    matrix = distinct_columns(listing, {name: row for row, name in enumerate(names)})
    listing.unlink()
    if matrix.shape[1] != classes:
        raise Failed(f"matrix has {matrix.shape[1]} columns, expected {classes}")
    save(target, matrix, y)
    return target


def distinct_columns(listing, rows):
    """The matrix of the pattern listing; the first of equal columns stays."""
    seen = set()
    columns = []
    with open(listing) as lines:
        for line in lines:
            column = numpy.array([rows[name] for name in json.loads(line)["graphs"]], dtype=numpy.int32)
            column.sort()
            key = hashlib.blake2b(column.tobytes(), digest_size=16).digest()
            if key not in seen:
                seen.add(key)
                columns.append(column)
    starts = numpy.concatenate([[0], numpy.cumsum([len(c) for c in columns])])
    ones = numpy.ones(starts[-1], dtype=numpy.float32)
    shape = (len(rows), len(columns))
    return scipy.sparse.csc_matrix((ones, numpy.concatenate(columns), starts), shape=shape).tocsr()


def save(target, matrix, y):
    numpy.savez(target, data=matrix.data, indices=matrix.indices, indptr=matrix.indptr, shape=matrix.shape, y=y)


def load(path):
    """(CSR matrix, 0/1 targets)"""
    parts = numpy.load(path)
    matrix = scipy.sparse.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=parts["shape"])
    return matrix, parts["y"]


def read_targets(data):
    """Graph names as Spinney gives them, and targets as 0/1 (the greater class is 1)."""
    data = pathlib.Path(data)
    if data.is_dir():
        lines = (data / f"{data.name}_graph_labels.txt").read_text().split()
        names, targets = [str(i + 1) for i in range(len(lines))], [int(t) for t in lines]
    else:
        with gzip.open(data, "rt") as lines:
            heads = [line.split() for line in lines if line.startswith("t ")]
        names, targets = [h[4] if len(h) > 4 else h[2] for h in heads], [int(h[3]) for h in heads]
    if len(set(names)) != len(names):
        raise Failed(f"{data}: graph names are not unique")
    targets = numpy.array(targets)
    return names, (targets == targets.max()).astype(numpy.int32)
