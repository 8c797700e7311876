"""What is wrong between the sections of a recipe; each section has checked itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.data.schema import Role
from shoal.errors import did_you_mean
from shoal.guarantees import TCloseness, misplaced
from shoal.io.csv import is_delimiter
from shoal.io.location import has_pattern, is_uri
from shoal.io.stores.address import address_problems, is_remote
from shoal.io.written import code_problem, form_of
from shoal.methods.registry import METHODS, kind_of
from shoal.release.recipe.dialects import DIALECTS
from shoal.release.recipe.input_checking import input_problems

if TYPE_CHECKING:
    from shoal.release.recipe.contents import Contents


_TEXTS = (".csv", ".tsv", ".csv.gz", ".tsv.gz")


def problems_of(contents: Contents) -> list[str]:
    """All mistakes, each with its key."""
    problems = _role_problems(contents)
    problems += _guarantee_problems(contents)
    problems += _weight_problems(contents)
    problems += _column_problems(contents)
    problems += [] if contents.input is None else input_problems(contents.input)
    for each in DIALECTS.values():
        problems += each.misuses(contents)
    problems += DIALECTS[contents.schema_.kind].problems(contents)
    problems += _choice_problems(contents)
    problems += _output_problems(contents)
    problems += _register_problems(contents)
    problems += _seed_problems(contents)
    problems += _ledger_problems(contents)
    return problems + _place_problems(contents)


def _seed_problems(contents: Contents) -> list[str]:
    if contents.seed is None or (DIALECTS[contents.schema_.kind].can_be_seeded and contents.engine.name == "local"):
        return []
    return ['seed: is for tables on the engine "local". Elsewhere chance cannot be fixed; leave it out.']


def _ledger_problems(contents: Contents) -> list[str]:
    ledger, columns = contents.ledger, contents.columns
    if ledger is None:
        return []
    problems = []
    if is_uri(ledger.path) or not ledger.path.endswith(".jsonl"):
        problems.append('ledger.path: is a file of this machine that ends in .jsonl, such as "private/ledger.jsonl".')
    if ledger.person and ledger.person not in columns:
        problems.append(f"ledger.person: there is no column '{ledger.person}'.{did_you_mean(ledger.person, columns)}")
    elif ledger.person and columns[ledger.person].role is not Role.IDENTIFYING:
        problems.append(
            f"ledger.person: '{ledger.person}' has the role '{columns[ledger.person].role}'; what names a person must be "
            "'identifying', and is not published."
        )
    elif ledger.person and "[]" in columns[ledger.person].path:
        problems.append(f"ledger.person: '{ledger.person}' lies in a list; a person has one name.")
    return problems


def _role_problems(contents: Contents) -> list[str]:
    problems = []
    if not contents.schema_.quasi:
        problems.append("columns: no column has the role 'quasi'. Which ones could others know about a person?")
    if not contents.guarantee:
        problems.append('guarantee: nothing is promised. Add [[guarantee]] with name = "k-anonymity" and k = 5.')
    return problems


def _guarantee_problems(contents: Contents) -> list[str]:
    columns = contents.columns
    problems = [f"guarantee: {problem}" for problem in misplaced(contents.guarantees, contents.schema_.kind)]
    for i, guarantee in enumerate(contents.guarantees):
        name = guarantee.sensitive
        if name is None:
            continue
        if name not in columns:
            problems.append(f"guarantee.{i}.column: there is no column '{name}'.{did_you_mean(name, columns)}")
            continue
        spec = columns[name]
        if not DIALECTS[guarantee.kind].can_protect(spec):
            problems.append(f"guarantee.{i}.column: '{name}' has the role '{spec.role}'; it must be 'sensitive'.")
        if isinstance(guarantee, TCloseness) and guarantee.distance == "hierarchical" and spec.hierarchy is None:
            problems.append(f"columns.{name}.hierarchy: must be given for t-closeness with hierarchical distance.")
    return problems


def _weight_problems(contents: Contents) -> list[str]:
    weights, quasi, sets = contents.loss.weights, contents.schema_.quasi, contents.schema_.sets
    problems = [
        f"loss.weights: '{name}' is not a quasi-identifying column.{did_you_mean(name, quasi)}"
        for name in weights
        if name not in quasi
    ]
    weighed = [name for name in quasi if name not in sets] or quasi  # beside single values, sets have no weight
    problems += [
        f"loss.weights: '{name}' holds sets of items; weights are of columns of single values."
        for name in weights
        if name in quasi and name not in weighed
    ]
    problems += _label_problems(contents)
    if weights and not any(weights.get(name, 1) for name in weighed):
        problems.append("loss.weights: all weights are 0; at least one must be positive.")
    return problems


def _label_problems(contents: Contents) -> list[str]:
    column, columns = contents.loss.column, contents.columns
    if column is None:
        needed = 'loss.column: must be given for the loss "ce"; it names the sensitive column that holds the labels.'
        return [needed] if contents.loss.name == "ce" else []
    if column not in columns:
        return [f"loss.column: there is no column '{column}'.{did_you_mean(column, columns)}"]
    if columns[column].role is not Role.SENSITIVE:
        return [f"loss.column: '{column}' has the role '{columns[column].role}'; it must be 'sensitive'."]
    return []


def _column_problems(contents: Contents) -> list[str]:
    problems, sets = [], contents.schema_.sets
    for name, spec in contents.columns.items():
        if spec.hierarchy is not None and spec.role not in (Role.QUASI, Role.SENSITIVE):
            problems.append(f"columns.{name}.hierarchy: a column with the role '{spec.role}' has no use for one.")
        if spec.missing and spec.role is Role.IDENTIFYING:
            problems.append(f"columns.{name}.missing: a column that is removed has no use for codes.")
        problems += _written_problems(contents, name)
        if spec.missing and name in sets:
            problems.append(
                f"columns.{name}.missing: codes are of single values and of nodes. Take such items out of the sets first."
            )
    return problems


def _written_problems(contents: Contents, name: str) -> list[str]:
    spec, key = contents.columns[name], f"columns.{name}.written"
    if not spec.written:
        return []
    if spec.kind != "value" or contents.schema_.nodes:
        return [f"{key}: is of columns of single values in tables, not of sets of items or of trees."]
    if contents.input is not None and not contents.input.path.lower().endswith(_TEXTS):
        return [f"{key}: is for CSV files; in other files, numbers and dates have a type of their own."]
    form = form_of(spec.written)
    codes = [*spec.missing, *(contents.input.missing if contents.input else ())]
    return [f"columns.{name}.missing: {problem}" for code in codes if (problem := code_problem(form, code))]


def _output_problems(contents: Contents) -> list[str]:
    """How a CSV file cannot be written."""
    output, dialect = contents.output, contents.dialect
    if output is None:
        return []
    said = [key for key in ("encoding", "delimiter", "written") if key in output.model_fields_set]
    if said and not output.path.endswith(".csv"):
        return [f"output.{key}: is of CSV files, and the release is none." for key in said]
    if output.delimiter is not None and not is_delimiter(output.delimiter):
        return ["output.delimiter: must be one ASCII mark such as , ; | or a tab."]
    if dialect.delimiter == dialect.quote:
        return ["output.delimiter: is what stands around fields; take another mark."]
    if contents.schema_.sets and output.path.endswith(".csv") and dialect.delimiter == contents.item_mark:
        return ["output.delimiter: is also what separates the items of a set; take another mark."]
    return []


def _register_problems(contents: Contents) -> list[str]:
    schema, file = contents.schema_, contents.population.file
    if file is None:
        return []
    if not schema.quasi_values or schema.quasi_sets or schema.nodes:
        return ["population.file: a register is held against tables of single values; leave it out, or say `size`."]
    return ["population.file: must be a path; a register is read here."] if is_uri(file) else []


def _choice_problems(contents: Contents) -> list[str]:
    """A method or loss of another kind of data."""
    kind, method = contents.schema_.kind, contents.method.name
    dialect, problems = DIALECTS[kind], []
    if method != "auto" and kind_of(method) != kind:
        fitting = ", ".join(name for name in METHODS if kind_of(name) == kind)
        problems.append(f"method.name: '{method}' is not for {dialect.title}. Methods here: {fitting}.")
    problems += _minimality_problems(contents)
    loss = contents.loss
    if "name" in loss.model_fields_set and loss.name not in dialect.losses:
        problems.append(
            f"loss.name: '{loss.name}' is not for {dialect.title}. Losses here: {', '.join(dialect.losses)}."
        )
    return problems


def _minimality_problems(contents: Contents) -> list[str]:
    """What cannot be decided by the quasi-identifiers alone."""
    if contents.method.minimality is None:
        return []
    if not DIALECTS[contents.schema_.kind].can_be_unsteered:
        return ["method.minimality: is for tables of single values; leave it out."]
    problems = []
    if all(guarantee.sensitive is not None for guarantee in contents.guarantees):
        problems.append(
            "method.minimality: classes are decided by the quasi-identifiers alone, and no promise is about these. Add k-anonymity."
        )
    if contents.loss.column is not None:
        problems.append(
            f"method.minimality: the loss '{contents.loss.name}' looks at a sensitive column, which would steer what is decided. "
            "Take another loss."
        )
    return problems


def _place_problems(contents: Contents) -> list[str]:
    """What the engine cannot read or write."""
    places = {
        "input.path": contents.input.path if contents.input else "",
        "output.path": contents.output.path if contents.output else "",
    }
    uris = {key: path for key, path in places.items() if is_uri(path)}
    if contents.engine.name == "spark" and contents.input and (contents.input.table or contents.input.query):
        return ['input.url: rows of a database are read by the engine "local".']
    if contents.engine.name == "local":
        problems = [
            f'{key}: a URI of this kind is for Spark. Say [engine] name = "spark", or --engine spark.'
            for key in uris
            if not is_remote(uris[key])
        ]
        for key, uri in uris.items():
            problems += address_problems(key, uri, writing=key == "output.path") if is_remote(uri) else []
        return problems
    problems = [
        f"{key}: a URI with a sign of a pattern, such as * or [, is not one place."
        for key in uris
        if has_pattern(uris[key])
    ]
    if "input.path" in uris and any(uris["input.path"].lower().endswith(end) for end in (".csv", ".tsv", ".gz")):
        problems.append("input.path: only Parquet is read from a URI; CSV is read from a path that this process sees.")
    if contents.output is not None and not contents.output.path.endswith(".parquet"):
        problems.append('output.path: Spark writes Parquet; end it in .parquet, or use the engine "local".')
    if "output.path" in uris and contents.engine.remote is not None:
        problems.append(
            "output.path: a URI cannot be written with `remote`, where the Java side of Spark is out of reach. Give a path on "
            "a file system that Spark and this process both see."
        )
    return problems
