"""shoal sign: who answers for a release, written beside its report with the hashes of all its files."""

from __future__ import annotations

import click

from shoal.cli.output import echo, echo_prose, emit


@click.command()
@click.argument("release", type=click.Path(exists=True))
@click.option("--name", required=True, help="Who signs.")
@click.option("--reason", required=True, help="Why the release may go out, and to whom.")
@click.option("--role", default="", help="As what they sign, such as 'data protection officer'.")
@click.option("--review", metavar="DATE", help="The day on which it is to be looked at again: 2027-11-30.")
@click.option("--read-report", is_flag=True, help="They have read the report beside the release. Needed.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
def sign(release: str, name: str, reason: str, role: str, review: str | None, read_report: bool, as_json: bool) -> None:
    """Sign RELEASE: the published file, with its report beside it.

    Writes a small JSON beside the report: who, when, why, and the SHA-256 of every file. `shoal verify` shows it, and whether the
    files are still the same. It is a statement, not a cryptographic signature. Whoever signs later is added; a new release at the
    same place (`shoal run --replace`) is not signed.
    """
    from shoal.release.signature.sign import sign as sign_release

    signed = sign_release(release, name=name, reason=reason, role=role, review=review, read_report=read_report)
    statement = signed.statement
    if as_json:
        emit(
            {
                "files": [path.name for path in signed.files],
                "signed": {file.name: file.sha256 for file in statement.files},
                "signatures": len(statement.signatures),
            }
        )
        return
    echo_prose(f"Signed by {statement.signatures[-1].words()}: {len(statement.files)} files.", err=True)
    for path in signed.files:
        echo(str(path))
