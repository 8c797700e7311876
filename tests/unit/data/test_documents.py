import pytest

from shoal.data.documents import MAX_TOML, TooLargeError, read_json, read_text, read_toml


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 102) + " = 1",
        "[" + " . ".join(['"a b"'] * 102) + "]",
        "x = " + "[" * 10_000,
        "x = " + "9" * 10_000,
        "x = [" + "0.5, " * 100_001 + "]",
        "#" * (MAX_TOML + 1),
    ],
)
def test_toml_that_no_recipe_needs_is_refused(text):
    with pytest.raises(TooLargeError):
        read_toml(text)


def test_what_recipes_have_is_read():
    deep = ".".join(["a"] * 100)
    text = f'{deep} = 1\npath = "{deep}"\nfloats = [{"0.25, " * 1_000}]\nwords = "{"word " * 10_000}"\n'
    assert read_toml(text)["path"] == deep
    assert read_toml("x = '" + "9" * 1_000_000 + "'")["x"].startswith("999")  # and takes no time


@pytest.mark.parametrize("text", ["[" * 100_000, "[" + "1," * 2_000_000 + "1]"])
def test_json_that_no_report_has_is_refused(text):
    with pytest.raises(TooLargeError):
        read_json(text)


def test_a_long_file_is_not_read(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_text(tmp_path / "a.toml", 8) == "a = 1"
    with pytest.raises(TooLargeError, match="more than 7 bytes"):
        read_text(tmp_path / "a.toml", 7)
