"""The pytest plugin. It is imported in every session of its environment, so it imports nothing until it is used."""


def pytest_addoption(parser):
    group = parser.getgroup("normative")
    group.addoption("--normative-update", action="store_true", help="write the baselines of @normative.cases")


def pytest_pycollect_makeitem(collector, name, obj):
    # A module's other objects may answer to any name, so only functions are asked.
    if "__normative__" in getattr(obj, "__dict__", ()):
        from ._cases import Clauses

        return Clauses.from_parent(collector, name=name, function=obj)
    return None
