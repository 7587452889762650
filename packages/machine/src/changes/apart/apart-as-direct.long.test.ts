import { testApartForBothUsers } from './fixtures/apart-for-both-users.js';

testApartForBothUsers({ seed: 20_261_119, runs: 60 });
