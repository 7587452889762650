import { BlockList, isIPv4 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressBytes, isLoopbackName, refusedBlock } from './address.js';

/** Written down again, apart from the table in the source: everything that is not globally reachable. */
const refused = new BlockList();
for (const range of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3',
]
  .join(' ')
  .split(' ')) {
  const [net = '', bits] = range.split('/');
  refused.addSubnet(net, Number(bits), 'ipv4');
}
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
const refused6 = new BlockList();
for (const range of '2001::/23 2001:db8::/32 2002::/16 3ffe::/16 3fff::/20'.split(' ')) {
  const [net = '', bits] = range.split('/');
  refused6.addSubnet(net, Number(bits), 'ipv6');
}

const ipv4 = fc.oneof(
  fc.ipV4(),
  fc
    .tuple(
      fc.constantFrom(0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 240, 255),
      fc.nat(255),
      fc.nat(255),
      fc.nat(255),
    )
    .map((parts) => parts.join('.')),
);
const ipv6 = fc.oneof(
  fc.ipV6(),
  fc
    .tuple(
      fc.constantFrom(
        '2001',
        '2001:0',
        '2001:1ff',
        '2001:db8',
        '2002',
        '3ffe',
        '3fff',
        '2400',
        'fe80',
        'fc00',
        '64:ff9b',
        '::ffff',
      ),
      fc.nat(65535),
    )
    .map(([head, tail]) => `${head}${head.startsWith('::') ? ':' : '::'}${tail.toString(16)}`),
);

describe('refusedBlock', () => {
  it('agrees with a second list on every IPv4 address', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        expect(refusedBlock(address) !== null).toBe(refused.check(address, 'ipv4'));
      }),
      { numRuns: 5000 },
    );
  });

  it('agrees with a second list on every IPv6 address', () => {
    fc.assert(
      fc.property(ipv6, (address) => {
        const expected = !global6.check(address, 'ipv6') || refused6.check(address, 'ipv6');
        expect(refusedBlock(address) !== null).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  it('refuses what is no address', () => {
    for (const text of [
      '',
      'x',
      '127.1',
      '0x7f.0.0.1',
      '1.2.3.4.5',
      '::1%lo',
      'fe80::1%eth0',
      '2606:4700::1%0',
      '[::1]',
      ' 8.8.8.8',
    ]) {
      expect(refusedBlock(text), text).not.toBeNull();
    }
  });

  it('lets a rule open loopback and private networks, nothing else', () => {
    const openable = ['127.0.0.1', '10.0.0.1', '172.16.5.5', '192.168.1.1', '100.64.0.1', '::1', 'fd12::1'];
    const closed = [
      '169.254.169.254',
      '100.100.100.200',
      'fd00:ec2::254',
      '169.254.1.1',
      '0.0.0.0',
      '224.0.0.1',
      '::ffff:127.0.0.1',
      'fe80::1',
      '192.0.2.1',
      '64:ff9b::a00:1',
    ];
    for (const address of openable) expect(refusedBlock(address)?.openable, address).toBe(true);
    for (const address of closed) expect(refusedBlock(address)?.openable, address).toBe(false);
  });
});

it('the reader of addresses reads the bytes of an address however it is shortened', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const groups = Array.from({ length: 8 }, (_, index) =>
        ((bytes[index * 2]! << 8) | bytes[index * 2 + 1]!).toString(16),
      );
      const canonical = new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
      const tail = `${groups.slice(0, 6).join(':')}:${[...bytes.slice(12)].join('.')}`;
      for (const spelling of [groups.join(':'), canonical, tail])
        expect(addressBytes(spelling)).toEqual(bytes);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isIPv4(address) && addressBytes(address)?.join('.')).toBe(address);
    }),
  );
});

it('the table of addresses knows the names of this machine', () => {
  for (const name of ['localhost', 'LOCALHOST', 'a.localhost', 'localhost.', 'localhost.localdomain']) {
    expect(isLoopbackName(name), name).toBe(true);
  }
  for (const name of ['localhost.example', 'notlocalhost', 'example.com', 'local']) {
    expect(isLoopbackName(name), name).toBe(false);
  }
});
