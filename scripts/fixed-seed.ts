import fc from 'fast-check';

/** Property tests try the same cases in every run; TOOLWRIGHT_SEED=random or a number tries others, as do the long suites. */
const chosen = process.env['TOOLWRIGHT_SEED'] ?? '20300101';
if (chosen !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(chosen) });
