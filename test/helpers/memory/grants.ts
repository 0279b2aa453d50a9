import type { Grant, Grants } from '../../../src/core/skills/uploads/grant.ts'

/** Grants without a file. */
export function createMemoryGrants(): Grants {
  const grants = new Map<string, Grant>()
  return {
    list: async () => [...grants.values()],
    async set(grant) {
      const key = `${grant.name}@${grant.version}`
      if (grant.secrets.length + grant.network.length === 0) grants.delete(key)
      else grants.set(key, grant)
    },
  }
}
