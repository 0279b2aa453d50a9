import { loadLazily } from '../../util/load-lazily.ts'

/** Methods that show skills and documents to people. Models get their skills by the profiles of `table.ts`. */
export const SKILL_PAGE_ROWS = {
  inspect_skill: {
    scope: 'read',
    effect: 'read',
    skillParam: 'name',
    load: loadLazily(async () => (await import('./inspect-skill/handler.ts')).inspectSkill),
  },
  search_skills: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(async () => (await import('./search-skills/handler.ts')).searchSkills),
  },
  read_skill_document: {
    scope: 'read',
    effect: 'read',
    skillParam: 'name',
    load: loadLazily(
      async () => (await import('./read-skill-document/handler.ts')).readSkillDocument,
    ),
  },
  read_blob_document: {
    scope: 'read',
    effect: 'read',
    load: loadLazily(
      async () => (await import('./read-blob-document/handler.ts')).readBlobDocument,
    ),
  },
  lint_skill: {
    scope: 'read',
    effect: 'read',
    skillParam: 'name',
    load: loadLazily(async () => (await import('./lint-skill/handler.ts')).lintSkill),
  },
  count_skill_tokens: {
    scope: 'read',
    effect: 'read',
    skillParam: 'name',
    load: loadLazily(
      async () => (await import('./count-skill-tokens/handler.ts')).countSkillTokens,
    ),
  },
  describe_skill_tools: {
    scope: 'read',
    effect: 'read',
    skillParam: 'name',
    load: loadLazily(
      async () => (await import('./describe-skill-tools/handler.ts')).describeSkillTools,
    ),
  },
} as const
