import { describe, expect, it } from 'vitest'
import { CONFIG_KEYS } from '../../../src/core/config/keys.ts'
import {
  DEPENDENCY_KEYS,
  INPUT_KEYS,
  PERMISSION_KEYS,
  RUNTIME_KEYS,
  TOP_KEYS,
} from '../../../src/core/skills/manifest/fields.ts'
import { SCHEMAS } from '../../../src/core/schema/schemas.ts'

type Schema = { properties: Record<string, Schema>; additionalProperties: Schema }

describe('the JSON Schema of skill.toml', () => {
  const schema = SCHEMAS.skill() as unknown as Schema

  it('names exactly the keys that the reader knows', () => {
    const keys = (each: Schema | undefined) => Object.keys(each?.properties ?? {})
    expect(keys(schema)).toEqual([...TOP_KEYS])
    expect(keys(schema.properties['runtime'])).toEqual([...RUNTIME_KEYS])
    expect(keys(schema.properties['permissions'])).toEqual([...PERMISSION_KEYS])
    expect(keys(schema.properties['dependencies'])).toEqual([...DEPENDENCY_KEYS])
    expect(keys(schema.properties['inputs']?.additionalProperties)).toEqual([...INPUT_KEYS])
  })
})

describe('the JSON Schema of the configuration', () => {
  it('has a place with a description for every setting', () => {
    for (const { key, description } of CONFIG_KEYS) {
      let at = SCHEMAS.config() as unknown as Schema | undefined
      for (const step of key.split('.')) at = at?.properties[step]
      expect(at, key).toMatchObject({ description })
    }
  })
})
