import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue, RequirementUntested } from '../assertions.ts'
import { assertText, type ResultFields, type ConformanceSession } from '../session.ts'

const page = 'Full Specification'
const GUIDE = 'skills.protocol.guide'
const MAX_PAGES = 100
const NEEDS_TWO_SKILLS = 'Requires a runtime with two skills'

async function listPage(session: ConformanceSession, params: object = {}) {
  const result = await session.expectResult('list_skills', params)
  const { skills, next_cursor: cursor } = result
  assertThat(Array.isArray(skills), `Expected a list in skills, got ${formatValue(skills)}`)
  return { skills: skills as ResultFields[], cursor }
}

/** All skills, or those of the first `most` pages. */
async function listAll(
  session: ConformanceSession,
  params: object = {},
  maxPages = MAX_PAGES,
): Promise<ResultFields[]> {
  const found: ResultFields[] = []
  let cursor: unknown
  for (let pages = 0; pages < maxPages; pages++) {
    const listed = await listPage(
      session,
      typeof cursor === 'string' ? { ...params, cursor } : params,
    )
    found.push(...listed.skills)
    cursor = listed.cursor
    if (typeof cursor !== 'string') break
  }
  return found
}

const formatReference = ({ name, version }: ResultFields) => `${String(name)}@${String(version)}`

export const LISTING: readonly Requirement[] = [
  {
    id: 'list/answer',
    level: 'must',
    page,
    text: 'list_skills returns the name, version, description, namespace and kind of skills',
    async check(session) {
      const { skills } = await listPage(session)
      for (const skill of skills) {
        for (const field of ['name', 'version', 'description', 'namespace']) {
          assertText(skill[field], `${field} of ${formatValue(skill['name'])}`)
        }
        const { kind } = skill
        assertThat(
          kind === 'action' || kind === 'instruction',
          `Expected a kind, got ${formatValue(kind)}`,
        )
      }
    },
  },
  {
    id: 'list/guide',
    level: 'must',
    page,
    text: `${GUIDE} is among the skills`,
    needs: ['list/answer'],
    async check(session) {
      const skills = await listAll(session)
      assertThat(
        skills.some(({ name }) => name === GUIDE),
        `Expected ${GUIDE} among the skills, got ${formatValue(skills.map(formatReference))}`,
      )
    },
  },
  {
    id: 'list/repeatable',
    level: 'must',
    page,
    text: 'The order of skills is the same every time',
    needs: ['list/answer'],
    async check(session) {
      const orders = [await listPage(session), await listPage(session), await listPage(session)]
      const [first, ...others] = orders.map(({ skills }) =>
        JSON.stringify(skills.map(formatReference)),
      )
      assertThat(
        others.every((other) => other === first),
        `Expected ${first}, got ${others.find((other) => other !== first)}`,
      )
    },
  },
  {
    id: 'list/sorted',
    level: 'should',
    page,
    text: 'Skills are sorted by namespace and name',
    needs: ['list/answer', 'list/repeatable'],
    async check(session) {
      const keys = (await listPage(session)).skills.map(
        ({ namespace, name }) => [String(namespace), String(name)] as const,
      )
      const wrong = keys.findIndex(([namespace, name], listed) => {
        const [before = '', nameBefore = ''] = keys[listed - 1] ?? []
        return before > namespace || (before === namespace && nameBefore > name)
      })
      assertThat(
        wrong === -1,
        `Expected ${formatValue(keys[wrong])} before ${formatValue(keys[wrong - 1])}`,
      )
    },
  },
  {
    id: 'list/limit',
    level: 'must',
    page,
    text: 'limit is the maximum number of skills in one result',
    needs: ['list/answer'],
    async check(session) {
      if ((await listPage(session)).skills.length < 2)
        throw new RequirementUntested(NEEDS_TWO_SKILLS)
      const { skills } = await listPage(session, { limit: 1 })
      assertThat(skills.length <= 1, `Expected at most 1 skill, got ${skills.length}`)
    },
  },
  {
    id: 'list/pages',
    level: 'must',
    page,
    text: 'next_cursor leads to the remaining skills without duplicates or gaps',
    needs: ['list/answer', 'list/limit', 'list/repeatable'],
    async check(session) {
      const complete = (await listPage(session)).skills.slice(0, 5).map(formatReference)
      if (complete.length < 2) throw new RequirementUntested(NEEDS_TWO_SKILLS)
      const paged = (await listAll(session, { limit: 1 }, complete.length)).map(formatReference)
      assertThat(
        JSON.stringify(paged) === JSON.stringify(complete),
        `Expected ${formatValue(complete)} page by page, got ${formatValue(paged)}`,
      )
    },
  },
  {
    id: 'list/next-cursor',
    level: 'should',
    page,
    text: 'next_cursor is a string if there are more skills, else null',
    needs: ['list/answer', 'list/pages'],
    async check(session) {
      const { skills, cursor } = await listPage(session, { limit: 1 })
      assertThat(
        cursor === null || typeof cursor === 'string',
        `Expected text or null, got ${formatValue(cursor)}`,
      )
      const { skills: both } = await listPage(session, { limit: 2 })
      if (both.length > skills.length)
        assertThat(typeof cursor === 'string', 'Expected text, got null')
    },
  },
  {
    id: 'list/namespace',
    level: 'must',
    page,
    text: 'namespace selects its own skills and no others',
    needs: ['list/answer', 'list/guide'],
    async check(session) {
      const { skills } = await listPage(session, { namespace: 'skills.protocol' })
      const others = skills.filter(
        ({ namespace }) => !`${String(namespace)}.`.startsWith('skills.protocol.'),
      )
      assertThat(
        others.length === 0,
        `Expected no other namespace, got ${formatValue(others.map(formatReference))}`,
      )
      assertThat(
        skills.some(({ name }) => name === GUIDE),
        `Expected ${GUIDE} in its namespace, got ${formatValue(skills.map(formatReference))}`,
      )
      const none = await listPage(session, { namespace: 'no-such-namespace' })
      assertThat(
        none.skills.length === 0,
        `Expected no skill, got ${formatValue(none.skills.map(formatReference))}`,
      )
    },
  },
  {
    id: 'list/summary',
    level: 'must',
    page,
    text: 'detail may be names or summary',
    needs: ['list/answer', 'list/repeatable'],
    async check(session) {
      const names = await listPage(session, { detail: 'names' })
      const summary = await listPage(session, { detail: 'summary' })
      assertThat(
        JSON.stringify(names.skills.map(formatReference)) ===
          JSON.stringify(summary.skills.map(formatReference)),
        'Expected the same skills with both details',
      )
    },
  },
]
