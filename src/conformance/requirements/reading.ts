import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue } from '../assertions.ts'
import {
  assertErrorCode,
  assertText,
  type ResultFields,
  type ConformanceSession,
} from '../session.ts'

const page = 'Full Specification'
const GUIDE = 'skills.protocol.guide'

async function describeGuide(session: ConformanceSession, params: object = {}) {
  const { skill } = await session.expectResult('describe_skill', { name: GUIDE, ...params })
  assertThat(
    typeof skill === 'object' && skill !== null,
    `Expected a skill, got ${formatValue(skill)}`,
  )
  return skill as { manifest?: ResultFields; skill_md_frontmatter?: ResultFields }
}

const readGuideFile = async (session: ConformanceSession, path: string) =>
  await session.expectResult('read_skill_file', { name: GUIDE, path })

/** Paths that are not files of the skill. */
const ESCAPING_PATHS = [
  '../skill.toml',
  '../../../../../../../../etc/passwd',
  'resources/../../skill.toml',
  '/etc/passwd',
  '..\\..\\skill.toml',
  '%2e%2e/%2e%2e/skill.toml',
  '..',
  'SKILL.md/../../skill.toml',
]

const TOOLS =
  'list_skills describe_skill read_skill_file execute_skill run_code create_blob read_blob load_skills_protocol_guide'

export const READING: readonly Requirement[] = [
  {
    id: 'describe/manifest',
    level: 'must',
    page,
    text: 'describe_skill returns the manifest: name, version, description and kind',
    async check(session) {
      const { manifest = {} } = await describeGuide(session)
      assertThat(
        manifest['name'] === GUIDE,
        `Expected the name ${GUIDE}, got ${formatValue(manifest['name'])}`,
      )
      for (const field of ['version', 'description'])
        assertText(manifest[field], `manifest.${field}`)
    },
  },
  {
    id: 'describe/front-matter',
    level: 'must',
    page,
    text: 'With detail summary, describe_skill returns the front matter of SKILL.md',
    needs: ['describe/manifest'],
    async check(session) {
      const { skill_md_frontmatter: matter } = await describeGuide(session, { detail: 'summary' })
      assertThat(
        typeof matter === 'object' && matter !== null,
        `Expected an object, got ${formatValue(matter)}`,
      )
    },
  },
  {
    id: 'describe/default-detail',
    level: 'must',
    page,
    text: 'describe_skill without a detail returns the same as with summary',
    needs: ['describe/front-matter'],
    async check(session) {
      const skill = await describeGuide(session)
      assertThat(
        skill.skill_md_frontmatter !== undefined,
        `Expected skill_md_frontmatter, got ${formatValue(Object.keys(skill))}`,
      )
    },
  },
  {
    id: 'describe/details',
    level: 'must',
    page,
    text: 'describe_skill accepts the details manifest and full',
    needs: ['describe/manifest'],
    async check(session) {
      for (const detail of ['manifest', 'full']) {
        const { manifest } = await describeGuide(session, { detail })
        assertThat(
          manifest?.['name'] === GUIDE,
          `Expected the manifest with detail ${detail}, got ${formatValue(manifest)}`,
        )
      }
    },
  },
  {
    id: 'describe/version',
    level: 'must',
    page,
    text: 'A version can be requested, and an unknown one is refused',
    needs: ['describe/manifest'],
    async check(session) {
      const { manifest } = await describeGuide(session)
      const version = manifest?.['version']
      const same = (await describeGuide(session, { version })).manifest?.['version']
      assertThat(
        same === version,
        `Expected the version ${formatValue(version)}, got ${formatValue(same)}`,
      )
      await session.expectError('describe_skill', { name: GUIDE, version: '999.999.999' })
    },
  },
  {
    id: 'describe/unknown',
    level: 'must',
    page: 'JSON-RPC Conventions',
    text: 'An unknown skill is refused with -32602',
    needs: ['rpc/error-shape'],
    async check(session) {
      assertErrorCode(
        await session.expectError('describe_skill', { name: 'no.such.skill' }),
        -32602,
      )
    },
  },
  {
    id: 'read-file/content',
    level: 'must',
    page,
    text: 'read_skill_file returns the content of a file',
    async check(session) {
      assertText((await readGuideFile(session, 'SKILL.md'))['content'], 'content')
    },
  },
  {
    id: 'read-file/contained',
    level: 'must',
    page,
    text: 'read_skill_file refuses paths that lead out of the skill',
    needs: ['read-file/content'],
    async check(session) {
      for (const path of ESCAPING_PATHS)
        await session.expectError('read_skill_file', { name: GUIDE, path })
    },
  },
  {
    id: 'read-file/missing',
    level: 'must',
    page: 'JSON-RPC Conventions',
    text: 'An unknown file, skill or version is refused',
    needs: ['read-file/content'],
    async check(session) {
      await session.expectError('read_skill_file', {
        name: GUIDE,
        path: 'resources/no-such-file.md',
      })
      const path = 'SKILL.md'
      await session.expectError('read_skill_file', { name: 'no.such.skill', path })
      await session.expectError('read_skill_file', { name: GUIDE, version: '999.999.999', path })
    },
  },
  {
    id: 'guide/content',
    level: 'must',
    page,
    text: 'load_skills_protocol_guide returns text',
    async check(session) {
      assertText((await session.expectResult('load_skills_protocol_guide'))['content'], 'content')
    },
  },
  {
    id: 'guide/same',
    level: 'must',
    page,
    text: `It is the SKILL.md of ${GUIDE}`,
    needs: ['guide/content', 'read-file/content'],
    async check(session) {
      const { content } = await session.expectResult('load_skills_protocol_guide')
      const file = (await readGuideFile(session, 'SKILL.md'))['content']
      assertThat(content === file, `Expected ${formatValue(file)}, got ${formatValue(content)}`)
    },
  },
  {
    id: 'guide/kind',
    level: 'must',
    page,
    text: `${GUIDE} is an instruction skill`,
    needs: ['describe/manifest'],
    async check(session) {
      const kind = (await describeGuide(session)).manifest?.['kind']
      assertThat(kind === 'instruction', `Expected "instruction", got ${formatValue(kind)}`)
    },
  },
  {
    id: 'guide/tools',
    level: 'should',
    page,
    text: 'The guide names the eight tools',
    needs: ['guide/content'],
    async check(session) {
      const content = String((await session.expectResult('load_skills_protocol_guide'))['content'])
      const missing = TOOLS.split(' ').filter((tool) => !content.includes(tool))
      assertThat(missing.length === 0, `Expected all eight tools, missing ${missing.join(', ')}`)
    },
  },
]
