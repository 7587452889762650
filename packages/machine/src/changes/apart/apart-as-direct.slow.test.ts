import { describe } from 'vitest';
import { testApartForBothUsers } from './fixtures/apart-for-both-users.js';

describe('on an overlay', () => testApartForBothUsers({ seed: 20_261_118, runs: 2 }));
describe('on a plain copy', () => testApartForBothUsers({ seed: 20_261_118, runs: 2, way: 'copy' }));
