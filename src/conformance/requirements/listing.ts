import type { Requirement } from '../requirement.ts'
import { demand, shown, Untried } from '../verdict.ts'
import { demandText, type Fields, type Session } from '../session.ts'

const page = 'Full Specification'
const GUIDE = 'skills.protocol.guide'
const MAX_PAGES = 100
const TWO = 'It needs a runtime that has two skills'

async function list(session: Session, params: object = {}) {
  const result = await session.result('list_skills', params)
  const { skills, next_cursor: cursor } = result
  demand(Array.isArray(skills), `Expected a list in skills, got ${shown(skills)}`)
  return { skills: skills as Fields[], cursor }
}

/** Every skill, or those of the first so many pages. */
async function all(session: Session, params: object = {}, most = MAX_PAGES): Promise<Fields[]> {
  const found: Fields[] = []
  let cursor: unknown
  for (let pages = 0; pages < most; pages++) {
    const at = await list(session, typeof cursor === 'string' ? { ...params, cursor } : params)
    found.push(...at.skills)
    cursor = at.cursor
    if (typeof cursor !== 'string') break
  }
  return found
}

const keyOf = ({ name, version }: Fields) => `${String(name)}@${String(version)}`

export const LISTING: readonly Requirement[] = [
  {
    id: 'list/answer',
    level: 'must',
    page,
    text: 'list_skills answers with name, version, description, namespace and kind of skills',
    async check(session) {
      const { skills } = await list(session)
      for (const skill of skills) {
        for (const field of ['name', 'version', 'description', 'namespace']) {
          demandText(skill[field], `${field} of ${shown(skill['name'])}`)
        }
        const { kind } = skill
        demand(kind === 'action' || kind === 'instruction', `Expected a kind, got ${shown(kind)}`)
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
      const skills = await all(session)
      demand(
        skills.some(({ name }) => name === GUIDE),
        `Expected ${GUIDE} among the skills, got ${shown(skills.map(keyOf))}`,
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
      const orders = [await list(session), await list(session), await list(session)]
      const [first, ...others] = orders.map(({ skills }) => JSON.stringify(skills.map(keyOf)))
      demand(
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
      const keys = (await list(session)).skills.map(
        ({ namespace, name }) => [String(namespace), String(name)] as const,
      )
      const wrong = keys.findIndex(([namespace, name], at) => {
        const [before = '', nameBefore = ''] = keys[at - 1] ?? []
        return before > namespace || (before === namespace && nameBefore > name)
      })
      demand(wrong === -1, `Expected ${shown(keys[wrong])} before ${shown(keys[wrong - 1])}`)
    },
  },
  {
    id: 'list/limit',
    level: 'must',
    page,
    text: 'limit is the most that one answer has',
    needs: ['list/answer'],
    async check(session) {
      if ((await list(session)).skills.length < 2) throw new Untried(TWO)
      const { skills } = await list(session, { limit: 1 })
      demand(skills.length <= 1, `Expected at most 1 skill, got ${skills.length}`)
    },
  },
  {
    id: 'list/pages',
    level: 'must',
    page,
    text: 'next_cursor leads to the rest: nothing comes twice, nothing is left out',
    needs: ['list/answer', 'list/limit', 'list/repeatable'],
    async check(session) {
      const whole = (await list(session)).skills.slice(0, 5).map(keyOf)
      if (whole.length < 2) throw new Untried(TWO)
      const paged = (await all(session, { limit: 1 }, whole.length)).map(keyOf)
      demand(
        shown(paged) === shown(whole),
        `Expected ${shown(whole)} page by page, got ${shown(paged)}`,
      )
    },
  },
  {
    id: 'list/next-cursor',
    level: 'should',
    page,
    text: 'next_cursor is text where there is more, else null',
    needs: ['list/answer', 'list/pages'],
    async check(session) {
      const { skills, cursor } = await list(session, { limit: 1 })
      demand(
        cursor === null || typeof cursor === 'string',
        `Expected text or null, got ${shown(cursor)}`,
      )
      const { skills: both } = await list(session, { limit: 2 })
      if (both.length > skills.length) demand(typeof cursor === 'string', 'Expected text, got null')
    },
  },
  {
    id: 'list/namespace',
    level: 'must',
    page,
    text: 'namespace leaves only its own skills',
    needs: ['list/answer'],
    async check(session) {
      const { skills } = await list(session, { namespace: 'skills.protocol' })
      const others = skills.filter(
        ({ namespace }) => !`${String(namespace)}.`.startsWith('skills.protocol.'),
      )
      demand(others.length === 0, `Expected no other namespace, got ${shown(others.map(keyOf))}`)
      const none = await list(session, { namespace: 'no-such-namespace' })
      demand(none.skills.length === 0, `Expected no skill, got ${shown(none.skills.map(keyOf))}`)
    },
  },
  {
    id: 'list/summary',
    level: 'must',
    page,
    text: 'detail may be names or summary',
    needs: ['list/answer', 'list/repeatable'],
    async check(session) {
      const names = await list(session, { detail: 'names' })
      const summary = await list(session, { detail: 'summary' })
      demand(
        shown(names.skills.map(keyOf)) === shown(summary.skills.map(keyOf)),
        'Expected the same skills with both details',
      )
    },
  },
]
