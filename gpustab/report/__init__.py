"""Writers of a Result: terminal, JSON, Parquet tables and one self-contained HTML page. No study is known here."""

from gpustab.report.files import check_folder, write_files
from gpustab.report.html import to_html, to_notebook
from gpustab.report.json_text import to_json
from gpustab.report.result import Result
from gpustab.report.terminal import print_result, to_text

__all__ = ["Result", "check_folder", "print_result", "to_html", "to_json", "to_notebook", "to_text", "write_files"]
