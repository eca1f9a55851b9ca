"""The logger of the package: one, so that whoever embeds it can ask for more or less."""

import logging

log = logging.getLogger("gpustab")
