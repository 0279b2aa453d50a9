import { expect, expectTypeOf, it } from 'vitest'
import {
  DEPENDENCY_KEYS,
  INPUT_KEYS,
  PERMISSION_KEYS,
  RUNTIME_KEYS,
  TOP_KEYS,
} from '../../../../src/core/skills/manifest/fields.ts'
import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import {
  createRuntime,
  loadConfig,
  type SkillManifest,
  type SkillManifestDependencies,
  type SkillManifestInput,
  type SkillManifestPermissions,
  type SkillManifestRuntime,
} from '../../../../src/index.ts'
import { createFolder } from '../../../helpers/skills.ts'

const MANIFEST: SkillManifest = {
  name: 'acme.sum',
  version: '1.0.0',
  description: 'Adds numbers.',
  kind: 'action',
  tags: ['math'],
  runtime: { language: 'python', entrypoint: 'code/main.py', export: 'main' },
  inputs: { region: { type: 'string', enum: ['eu', 'us'], required: false } },
  permissions: { network: ['https://*.example.com'], secrets: ['API_KEY'] },
}

it('the type of skill.toml has the known keys of every table', () => {
  expectTypeOf<keyof SkillManifest>().toEqualTypeOf<(typeof TOP_KEYS)[number]>()
  expectTypeOf<keyof SkillManifestRuntime>().toEqualTypeOf<(typeof RUNTIME_KEYS)[number]>()
  expectTypeOf<keyof SkillManifestInput>().toEqualTypeOf<(typeof INPUT_KEYS)[number]>()
  expectTypeOf<keyof SkillManifestPermissions>().toEqualTypeOf<(typeof PERMISSION_KEYS)[number]>()
  expectTypeOf<keyof SkillManifestDependencies>().toEqualTypeOf<(typeof DEPENDENCY_KEYS)[number]>()
  expectTypeOf(MANIFEST).toExtend<PlainObject>()
})

it('a typed manifest is accepted by create_skill and returned unchanged', async () => {
  const cwd = createFolder()
  const { config } = await loadConfig({ cwd, env: { HOME: cwd }, noFiles: true })
  const runtime = createRuntime({ config, cacheDir: null })
  const files = [{ path: 'code/main.py', content: 'def main(args):\n    return 1\n' }]
  await runtime.createSkill({ manifest: MANIFEST, skill_md: '# Sum\n', files })
  const { skill } = await runtime.describeSkill({ name: 'acme.sum' })
  expect(skill.manifest).toMatchObject(MANIFEST)
})
