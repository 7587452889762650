import { describe } from 'vitest';
import { testApartScenarios } from './fixtures/test-apart-scenarios.js';

describe('on an overlay', () => testApartScenarios({ who: 'an ordinary user', way: 'overlay' }));
describe('on a plain copy', () => testApartScenarios({ who: 'the user of the tests', way: 'copy' }));
