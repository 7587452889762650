import { testKillsApart } from './kill-apart/test-kills.js';

testKillsApart(6);
