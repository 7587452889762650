import { testStepKills } from './kill-apart/test-step-kills.js';

testStepKills(1);
