"""python -m gdbench.convert FILE OUT: a table that pandas reads, as a CSV file or as an .npy file of its numbers."""
import sys
from pathlib import Path

READERS = {
    ".parquet": "read_parquet", ".feather": "read_feather", ".arrow": "read_feather", ".orc": "read_orc",
    ".xlsx": "read_excel", ".xls": "read_excel", ".ods": "read_excel", ".json": "read_json", ".h5": "read_hdf",
    ".hdf5": "read_hdf", ".dta": "read_stata", ".sas7bdat": "read_sas", ".xpt": "read_sas", ".sav": "read_spss",
    ".csv": "read_csv", ".tsv": "read_table", ".txt": "read_table",
}  # fmt: skip
OUTPUTS = (".csv", ".csv.gz", ".csv.zst", ".npy")


class Refused(Exception):
    """What is wrong with the input, in one line."""


def read(file):
    """The table of a file, by the reader of pandas that its name's end stands for."""
    reader = READERS.get(file.suffix.lower())
    if not reader:
        raise Refused(f"{file}: found {file.suffix or 'a name without an end'}, expected one of {' '.join(READERS)}")
    try:
        import pandas
    except ImportError:
        raise Refused(f"{sys.executable} has no pandas, which reads {file.suffix} (--python names one that has)") from None
    try:
        return getattr(pandas, reader)(file)
    except Exception as error:  # of pandas, and of each library that it reads by
        raise Refused(f"{file}: {type(error).__name__}: {' '.join(str(error).split())}") from None


def write(table, out):
    """All columns by name, or the numbers alone."""
    if out.suffix != ".npy":
        return table.to_csv(out, index=False)
    import numpy

    for name, kind in table.dtypes.items():
        if kind.kind not in "biuf":
            raise Refused(f"{out}: found column {name!r} of type {kind}, expected numbers; a .csv takes texts, too")
    return numpy.save(out, numpy.ascontiguousarray(table.to_numpy("f8")))


def main(file, out):
    file, out = Path(file), Path(out)
    try:
        if not out.name.endswith(OUTPUTS):
            raise Refused(f"{out}: found another end, expected one of {' '.join(OUTPUTS)}")
        table = read(file)
        write(table, out)
    except (Refused, OSError) as error:
        print(f"gdbench: {error}", file=sys.stderr)
        return 2
    rows, columns = table.shape
    print(f"{out}: {rows} rows of {', '.join(map(str, table.columns[:8]))}{' ...' if columns > 8 else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
