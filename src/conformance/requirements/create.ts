import { digestProbeFiles, digestText } from '../digest-probe.ts'
import { buildProbe } from '../probe.ts'
import type { Requirement } from '../requirement.ts'
import { assertThat, formatValue, RequirementFailed } from '../assertions.ts'
import type { ResultFields } from '../session.ts'

export const CREATE: readonly Requirement[] = [
  {
    id: 'create/offered',
    level: 'should',
    page: 'Full Specification',
    text: 'create_skill is offered',
    async check(session) {
      const { json } = await session.call('create_skill')
      const { code } = (json?.['error'] ?? {}) as { code?: unknown }
      assertThat(code !== -32601, 'Expected create_skill, got "Method not found"')
    },
  },
  {
    id: 'create/manifest',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill refuses a manifest without a name',
    needs: ['create/offered'],
    async check(session) {
      const probe = buildProbe()
      const { name: _, ...nameless } = probe.manifest
      await session.expectError('create_skill', { ...probe, manifest: nameless })
    },
  },
  {
    id: 'create/contained',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill refuses paths that lead out of the skill',
    needs: ['create/offered'],
    async check(session) {
      for (const path of ['../conformance-note.txt', 'code/../../conformance-note.txt']) {
        const probe = buildProbe()
        const files = [...probe.files, { path, content: 'Not wanted here.' }]
        await session.expectError('create_skill', { ...probe, files })
      }
    },
  },
  {
    id: 'create/persisted',
    level: 'must',
    page: 'Full Specification',
    text: 'A created skill is available at once, with all of its files unchanged',
    needs: ['create/offered'],
    async check(session) {
      const { name, version, request } = await session.getProbe()
      const { skill } = await session.expectResult('describe_skill', { name, version })
      const { manifest } = (skill ?? {}) as { manifest?: ResultFields }
      assertThat(
        manifest?.['name'] === name,
        `Expected the manifest of ${name}, got ${formatValue(skill)}`,
      )
      for (const [path, digest] of digestProbeFiles(request)) {
        const { content } = await session.expectResult('read_skill_file', { name, version, path })
        assertThat(
          digestText(String(content)) === digest,
          `Expected ${path} as it was created, got ${formatValue(content)}`,
        )
      }
    },
  },
  {
    id: 'create/listed',
    level: 'must',
    page: 'Full Specification',
    text: 'A created skill is listed in its namespace',
    needs: ['create/persisted'],
    async check(session) {
      const { name } = await session.getProbe()
      let cursor: unknown
      do {
        const params = { namespace: 'conformance', limit: 100, ...(cursor != null && { cursor }) }
        const result = await session.expectResult('list_skills', params)
        const listed = result['skills'] as readonly ResultFields[]
        if (listed.some((skill) => skill['name'] === name)) return
        cursor = result['next_cursor']
      } while (typeof cursor === 'string')
      throw new RequirementFailed(`Expected ${name} among the skills of its namespace`)
    },
  },
  {
    id: 'create/answer',
    level: 'must',
    page: 'Full Specification',
    text: 'create_skill returns the name and version of the skill',
    needs: ['create/offered'],
    async check(session) {
      const probe = await session.getProbe()
      const { name, version } = probe.created
      assertThat(name === probe.name, `Expected the name ${probe.name}, got ${formatValue(name)}`)
      assertThat(
        version === probe.version,
        `Expected the version ${probe.version}, got ${formatValue(version)}`,
      )
    },
  },
  {
    id: 'create/immutable',
    level: 'extension',
    page: 'Toolkit',
    text: 'An existing version is not replaced',
    needs: ['create/persisted'],
    async check(session) {
      await session.expectError('create_skill', (await session.getProbe()).request)
    },
  },
]
