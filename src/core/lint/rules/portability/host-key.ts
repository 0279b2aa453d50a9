import { findNearest } from '../../../../util/find-nearest.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import type { HostDescription } from '../../profiles/host.ts'
import { ALL_HOST_KEYS, listHostsOfKey, SKILL_HOSTS } from '../../profiles/index.ts'
import type { Rule } from '../../rule.ts'
import { getFrontMatter, locateInFrontMatter } from '../../skill-facts.ts'

export const HOST_KEY: Rule = {
  id: 'portability/host-key',
  severity: 'info',
  what: 'A host of a requested profile ignores a key of the front matter',
  why: 'The setting has no effect on that host, such as a skill that is meant for users alone.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\neffort: high\n',
      ),
    },
    good: {},
  },
  fix: 'Remove the key, or accept that the host ignores it.',
  check(skill, report) {
    const hosts = SKILL_HOSTS.filter(({ profile }) => skill.requestedProfiles.includes(profile))
    for (const key of Object.keys(getFrontMatter(skill) ?? {})) {
      // Misspelled keys are findings of portability/front-matter-key.
      if (!ALL_HOST_KEYS.includes(key) && findNearest(key, ALL_HOST_KEYS) !== undefined) continue
      const ignoring = hosts.filter(({ keys }) => !Object.hasOwn(keys, key))
      if (ignoring.length === 0) continue
      report({
        ...locateInFrontMatter(skill, [key], 'key'),
        message: `${joinTitles(ignoring)} ${ignoring.length === 1 ? 'ignores' : 'ignore'} the key "${key}"`,
        help: describeOrigin(key),
      })
    }
  },
}

function joinTitles(hosts: readonly HostDescription[]): string {
  return hosts.map(({ title }) => title).join(' and ')
}

function describeOrigin(key: string): string {
  const readers = listHostsOfKey(key)
  return readers.length > 0
    ? `It is a key of ${readers.join(', ')}; remove it if the skill is not for ${readers.length === 1 ? 'that host' : 'them'}`
    : 'Move it below metadata'
}
