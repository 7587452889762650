import { testSearchForBothUsers } from './fixtures/search-for-both-users.js';

testSearchForBothUsers({ seed: 20_261_118, runs: 3 });
