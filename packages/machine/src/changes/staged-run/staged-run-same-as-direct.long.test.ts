import { testSameForBothUsers } from './fixtures/same-for-both-users.js';

testSameForBothUsers({ seed: Math.floor(Math.random() * 2 ** 31), runs: 150 });
