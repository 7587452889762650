import { testKillsApart } from './kill-apart/test-kills.js';
import { testStepKills } from './kill-apart/test-step-kills.js';

testKillsApart(4);
testStepKills(120);
