/** Scenarios about what we do not offer, by the side that is tried, each with its reason. */
const noSkills = 'an extension: skills are neither offered nor read';
const noPeople = 'an extension for machines without a person';
const byCompany = 'an extension for companies that sign people in centrally';
const proofOfPossession = 'an extension: tokens bound to a key of the client';

export const notApplicable = {
  client: {
    'auth/client-credentials-jwt': noPeople,
    'auth/client-credentials-basic': noPeople,
    'auth/cross-app-access-complete-flow': byCompany,
    'auth/enterprise-managed-authorization': byCompany,
    'auth/dpop': proofOfPossession,
    'auth/dpop-nonce': proofOfPossession,
    'auth/wif-jwt-bearer': noPeople,
    'sep-2640-client-no-prefetch': noSkills,
    'sep-2640-client-verify-digest': noSkills,
    'sep-2640-client-verify-size': noSkills,
    'sep-2640-client-verify-frontmatter': noSkills,
  },
  server: {
    'sep-2640-skills-directory': noSkills,
    'sep-2640-skills-enumeration': noSkills,
    'sep-2640-skills-manifest': noSkills,
    'tasks-required-task-error': 'every call may be waited for: there are no tools that demand a task',
    'tasks-status-notifications': 'the suite skips it',
  },
};

/** The reason why the suite looks at nothing in a scenario that it was asked to play, where that is known. */
export function notTested(side, name, version) {
  if (side !== 'server' || name !== 'server-sse-polling' || version !== '0.1.16') return '';
  return ': it asks in the revision of 2025-03-26, whose streams have no first event of their own';
}
