import type { SkillGrant, SkillGrants } from '../../../src/core/skills/uploads/grant.ts'

/** In-memory grants. */
export function createMemoryGrants(): SkillGrants {
  const grants = new Map<string, SkillGrant>()
  return {
    list: async () => [...grants.values()],
    async set(grant) {
      const key = `${grant.name}@${grant.version}`
      if (grant.secrets.length + grant.network.length === 0) grants.delete(key)
      else grants.set(key, grant)
    },
  }
}
