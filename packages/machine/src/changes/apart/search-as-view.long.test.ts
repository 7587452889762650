import { testSearchForBothUsers } from './fixtures/search-for-both-users.js';

testSearchForBothUsers({ seed: 20_261_119, runs: 100 });
