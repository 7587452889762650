import { ToolError } from '../../base/errors.js';
import { bareHost, portOf } from '../http/proxy.js';

const LONGEST_URL = 8000;

/** Ports of other services, which could be made to act on what a request sends them. */
const otherServices = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 138, 139, 143, 161, 179, 389, 427, 445, 465, 512, 513,
  514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873, 989, 990, 993, 995, 1433, 1521,
  1719, 1720, 1723, 2049, 2375, 2376, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665,
  6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211, 27017,
]);

/** Parses the URL of a public page; throws a `ToolError` that says what is wrong with it. */
export function parseFetchUrl(address: string): URL {
  if (address.length > LONGEST_URL) {
    throw new ToolError(
      'invalid_params',
      `The URL is ${address.length} characters long; the limit is ${LONGEST_URL}.`,
    );
  }
  const url = parse(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ToolError(
      'invalid_params',
      `Only http and https URLs can be fetched, not "${url.protocol}". For a local file use read_file.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError(
      'invalid_params',
      `The URL holds a user name or password before "@". Give it without them; pages behind a login can't be fetched.`,
    );
  }
  if (otherServices.has(portOf(url))) {
    throw new ToolError('denied', `Port ${portOf(url)} is not a web port, so nothing was fetched.`);
  }
  url.hash = '';
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

function parse(address: string): URL {
  try {
    return new URL(address.trim());
  } catch {
    const guess = /^[\w-]+(\.[\w-]+)+([:/?#]|$)/.test(address.trim())
      ? ` Did you mean https://${address.trim()} ?`
      : '';
    throw new ToolError(
      'invalid_params',
      `"${address.slice(0, 200)}" is not a URL. Give a whole one, like https://example.com/page.${guess}`,
    );
  }
}

/** True if permission for `from` covers `to`: the same host and port, or the step from http to https. */
export function isSameHost(from: URL, to: URL): boolean {
  if (bareHost(from.hostname) !== bareHost(to.hostname)) return false;
  if (from.protocol === to.protocol) return portOf(from) === portOf(to);
  return from.protocol === 'http:' && portOf(from) === 80 && portOf(to) === 443;
}
