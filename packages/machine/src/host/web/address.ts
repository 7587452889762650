import { isIPv4, isIPv6 } from 'node:net';

/** The reason why an address is not on the public internet. */
export interface AddressBlock {
  /** Worded to follow "is": `a loopback address`. */
  name: string;
  /** True if a rule of the user may open it: loopback and networks at home or at work. */
  openable: boolean;
}

type AddressRow = readonly [range: string, name: string, openable?: 'openable'];

/** Searched from the top: narrow ranges come before wide ones that contain them. */
const ipv4Rows: readonly AddressRow[] = [
  ['169.254.169.254/32', 'a cloud metadata address'],
  ['169.254.170.2/32', 'a cloud metadata address'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  ['100.100.100.200/32', 'a cloud metadata address'],
  ['192.0.0.192/32', 'a cloud metadata address'],
  ['0.0.0.0/8', 'a "this network" address'],
  ['10.0.0.0/8', 'a private address', 'openable'],
  ['100.64.0.0/10', 'a carrier-grade NAT address', 'openable'],
  ['127.0.0.0/8', 'a loopback address', 'openable'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address', 'openable'],
  ['192.0.0.0/24', 'a protocol assignment'],
  ['192.0.2.0/24', 'a documentation address'],
  ['192.88.99.0/24', 'a 6to4 relay address'],
  ['192.168.0.0/16', 'a private address', 'openable'],
  ['198.18.0.0/15', 'a benchmark address'],
  ['198.51.100.0/24', 'a documentation address'],
  ['203.0.113.0/24', 'a documentation address'],
  ['224.0.0.0/4', 'a multicast address'],
  ['255.255.255.255/32', 'the broadcast address'],
  ['240.0.0.0/4', 'a reserved address'],
];

const ipv6Rows: readonly AddressRow[] = [
  ['fd00:ec2::/32', 'a cloud metadata address'],
  ['fd20:ce::254/128', 'a cloud metadata address'],
  ['::/128', 'the unspecified address'],
  ['::1/128', 'a loopback address', 'openable'],
  ['::ffff:0:0/96', 'an IPv4-mapped address'],
  ['::ffff:0:0:0/96', 'an IPv4-translated address'],
  ['::/96', 'an IPv4-compatible address'],
  ['64:ff9b::/96', 'a NAT64 address'],
  ['64:ff9b:1::/48', 'a NAT64 address'],
  ['100::/64', 'a discard address'],
  ['100:0:0:1::/64', 'a dummy address'],
  ['2001::/32', 'a Teredo address'],
  ['2001:2::/48', 'a benchmark address'],
  ['2001:db8::/32', 'a documentation address'],
  ['2001::/23', 'a protocol assignment'],
  ['2002::/16', 'a 6to4 address'],
  ['3ffe::/16', 'a retired test network address'],
  ['3fff::/20', 'a documentation address'],
  ['5f00::/16', 'a segment routing address'],
  ['fc00::/7', 'a private address', 'openable'],
  ['fe80::/10', 'a link-local address'],
  ['fec0::/10', 'a site-local address'],
  ['ff00::/8', 'a multicast address'],
];

interface AddressRange {
  bytes: Uint8Array;
  bits: number;
  block: AddressBlock;
}

interface AddressRanges {
  ipv4: AddressRange[];
  ipv6: AddressRange[];
  globalUnicast: AddressRange;
}

let known: AddressRanges | undefined;

/** Parsed on first use: it takes a noticeable part of the program's start. */
function ranges(): AddressRanges {
  known ??= {
    ipv4: ipv4Rows.map(toRange),
    ipv6: ipv6Rows.map(toRange),
    globalUnicast: toRange(['2000::/3', 'a public address']),
  };
  return known;
}

const notAnAddress: AddressBlock = { name: 'not an IP address', openable: false };
const zoned: AddressBlock = { name: 'an address with a zone', openable: false };
const unassigned: AddressBlock = { name: 'outside the assigned public range', openable: false };

/** The block that keeps an address off the public internet; null for a public address. */
export function refusedBlock(address: string): AddressBlock | null {
  if (address.includes('%')) return zoned;
  const bytes = addressBytes(address);
  if (!bytes) return notAnAddress;
  const { ipv4, ipv6, globalUnicast } = ranges();
  const found = (bytes.length === 4 ? ipv4 : ipv6).find((range) => inRange(bytes, range));
  if (found) return found.block;
  if (bytes.length === 16 && !inRange(bytes, globalUnicast)) return unassigned;
  return null;
}

/** The 4 or 16 bytes of an address in ordinary spelling; null for anything else. */
export function addressBytes(address: string): Uint8Array | null {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number);
  if (isIPv6(address) && !address.includes('%')) return ipv6Bytes(address);
  return null;
}

/** Names that always mean this machine, whatever a resolver says (RFC 6761). */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)(localhost|localhost\.localdomain|localhost6|ip6-localhost|ip6-loopback)$/i.test(
    host.replace(/\.$/, ''),
  );
}

function ipv6Bytes(address: string): Uint8Array {
  const tail = /(?<=:)\d+\.\d+\.\d+\.\d+$/.exec(address);
  const hex = tail ? address.slice(0, tail.index) + ipv4AsGroups(tail[0]) : address;
  const [head = '', rest] = hex.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = rest ? rest.split(':') : [];
  const zeros = rest === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...new Array<string>(zeros).fill('0'), ...right];
  return Uint8Array.from(groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]));
}

function ipv4AsGroups(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function toRange([range, name, openable]: AddressRow): AddressRange {
  const [address = '', bits = '0'] = range.split('/');
  const bytes = addressBytes(address);
  if (!bytes) throw new Error(`bad range ${range}`);
  return { bytes, bits: Number(bits), block: { name, openable: openable === 'openable' } };
}

function inRange(bytes: Uint8Array, range: AddressRange): boolean {
  const whole = range.bits >> 3;
  for (let index = 0; index < whole; index++) {
    if (bytes[index] !== range.bytes[index]) return false;
  }
  const rest = range.bits & 7;
  if (rest === 0) return true;
  const mask = 0xff << (8 - rest);
  return ((bytes[whole] ?? 0) & mask) === ((range.bytes[whole] ?? 0) & mask);
}
