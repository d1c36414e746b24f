"""Graph kernels of GraKeL with a support vector machine. Kernels see vertex labels; edges count as they are."""

import grakel
import numpy
from sklearn.svm import SVC

# The usual first, in case time runs out.
PENALTIES = (1, 10, 0.1, 100)


def as_grakel(graph):
    # As a matrix: GraKeL does not take a graph without edges as a dictionary of them.
    neighbours = numpy.zeros((len(graph["labels"]),) * 2)
    for u, v, _ in graph["edges"]:
        neighbours[u, v] = neighbours[v, u] = 1
    return grakel.Graph(neighbours, node_labels=dict(enumerate(graph["labels"])))


def similarities(data, kernel):
    """The kernel matrix of all graphs, with ones on the diagonal."""
    graphs = [as_grakel(graph) for graph in data.graphs]
    raw = kernel.fit_transform(graphs)
    lengths = numpy.sqrt(numpy.clip(numpy.diag(raw), 1e-300, None))
    return numpy.nan_to_num(raw / numpy.outer(lengths, lengths))


def machines(data, name, kernel):
    """A support vector machine for each penalty."""
    k = similarities(data, kernel)
    for c in PENALTIES:
        def scores(train, test):
            machine = SVC(C=c, kernel="precomputed").fit(k[numpy.ix_(train, train)], data.y[train])
            return machine.decision_function(k[numpy.ix_(test, train)])

        yield f"{name}C{c}", scores


def random_walk(data):
    """Walks along equal labels, geometric weights; λ must stay below 1 over the product graphs' largest eigenvalue."""
    for shrink in (0.01, 0.1):
        yield from machines(data, f"λ{shrink} ", grakel.RandomWalkLabeled(lamda=shrink))


def shortest_path(data):
    yield from machines(data, "", grakel.ShortestPath())


def weisfeiler_lehman(data):
    for rounds in (2, 4):
        kernel = grakel.WeisfeilerLehman(n_iter=rounds, base_graph_kernel=grakel.VertexHistogram)
        yield from machines(data, f"h{rounds} ", kernel)


def wl_shortest_path(data):
    for rounds in (1, 2):
        kernel = grakel.WeisfeilerLehman(n_iter=rounds, base_graph_kernel=grakel.ShortestPath)
        yield from machines(data, f"h{rounds} ", kernel)
