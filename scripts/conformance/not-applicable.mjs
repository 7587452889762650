/** Scenarios about what we do not offer, by the side that is tried, each with its reason. */
const noResources = 'resources are not offered: files are read by tools, under the rules';
const noPrompts = 'prompts are not offered';
const noForms =
  'tools can not ask with forms of their own; questions about a call are tried by tools-call-elicitation';
const noPeople = 'an extension for machines without a person';

export const notApplicable = {
  client: {
    'auth/basic-cimd':
      'wants a client id that is a web address of ours; there is none, and the client registers itself',
    'auth/client-credentials-jwt': noPeople,
    'auth/client-credentials-basic': noPeople,
    'auth/cross-app-access-complete-flow': 'an extension for companies that sign people in centrally',
  },
  server: {
    'logging-set-level': 'logging is not offered: logs go to standard error',
    'tools-call-with-logging': 'logging is not offered: logs go to standard error',
    'completion-complete': 'completion is for prompts and resource templates, which are not offered',
    'tools-call-sampling': "no tool asks for an answer of the client's model",
    'elicitation-sep1034-defaults': noForms,
    'elicitation-sep1330-enums': noForms,
    'server-sse-polling': 'streams are not resumed after a lost connection',
    'resources-list': noResources,
    'resources-read-text': noResources,
    'resources-read-binary': noResources,
    'resources-templates-read': noResources,
    'resources-subscribe': noResources,
    'resources-unsubscribe': noResources,
    'prompts-list': noPrompts,
    'prompts-get-simple': noPrompts,
    'prompts-get-with-args': noPrompts,
    'prompts-get-embedded-resource': noPrompts,
    'prompts-get-with-image': noPrompts,
  },
};
