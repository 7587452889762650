/** Scenarios about what we do not offer, by the side that is tried, each with its reason. */
const noSkills = 'skills are not offered';
const noPeople = 'an extension for machines without a person';

export const notApplicable = {
  client: {
    'auth/client-credentials-jwt': noPeople,
    'auth/client-credentials-basic': noPeople,
    'auth/cross-app-access-complete-flow': 'an extension for companies that sign people in centrally',
  },
  server: {
    'sep-2640-skills-directory': noSkills,
    'sep-2640-skills-enumeration': noSkills,
    'sep-2640-skills-manifest': noSkills,
    'tasks-required-task-error': 'every call may be waited for: there are no tools that demand a task',
    'tasks-status-notifications': 'the suite skips it',
  },
};
