import { testScenarios } from './fixtures/test-scenarios.js';

testScenarios({ firstOrdinary: 0 });
