import { testSameForBothUsers } from './fixtures/same-for-both-users.js';

testSameForBothUsers({ seed: 20_261_116, runs: 4 });
