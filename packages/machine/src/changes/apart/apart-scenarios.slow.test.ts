import { describe } from 'vitest';
import { testApartScenarios } from './fixtures/test-apart-scenarios.js';

/** Each user on one kind of folder; on the other kind in the long test. */
describe('on an overlay', () => testApartScenarios({ who: 'the user of the tests', way: 'overlay' }));
describe('on a plain copy', () => testApartScenarios({ who: 'an ordinary user', way: 'copy' }));
