process.env['TOOLWRIGHT_EVERY_CUT'] = '1';

// The same tests, with every cut: the number of cuts is read when the module loads.
await import('./fixtures.slow.test.js');
