/**
 * Python modules that nearly every program loads, directly or indirectly. A file of that name beside a script is
 * loaded in their place.
 */
export const PYTHON_MODULES =
  'abc argparse array ast asyncio base64 binascii bisect bz2 calendar codecs collections concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis email encodings enum errno fnmatch fractions functools gc genericpath getopt getpass gettext glob graphlib gzip hashlib heapq hmac html http importlib inspect io ipaddress itertools json keyword linecache locale logging lzma math mimetypes multiprocessing numbers opcode operator os pathlib pickle pkgutil platform posixpath pprint queue quopri random re reprlib resource secrets select selectors shlex shutil signal site sitecustomize socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess sysconfig tarfile tempfile textwrap threading time token tokenize tomllib traceback types typing unicodedata unittest urllib usercustomize uuid warnings weakref xml zipfile zipimport zlib zoneinfo'.split(
    ' ',
  );
