"""One module per research question; each returns a :class:`gpustab.results.result.Result`."""
