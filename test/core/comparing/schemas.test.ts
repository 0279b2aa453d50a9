// @module-tag slow
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { compareInputs } from '../../../src/core/comparing/compare-inputs.ts'
import type { ComparedSide } from '../../../src/core/comparing/compared-side.ts'
import { DIFFERENCE_CODES } from '../../../src/core/comparing/difference.ts'
import { compareSchemas } from '../../../src/core/comparing/schemas/compare-schemas.ts'
import { checkInputs } from '../../../src/core/runs/supervise/check-inputs.ts'
import type { Plain, PlainObject, SkillInput } from '../../../src/core/skills/manifest/manifest.ts'
import { runInSlices } from '../../../src/util/slices/run-in-slices.ts'

vi.setConfig({ testTimeout: 120_000 })

const RUNS = 3000

/** The validator that `result.schema` of tests uses. */
function accepts(schema: Plain, value: Plain): boolean {
  return z.fromJSONSchema(schema as never).safeParse(value).success
}

const scalar: fc.Arbitrary<Plain> = fc.constantFrom<Plain>(
  null,
  true,
  0,
  1,
  2,
  5,
  1.5,
  -3,
  '',
  'a',
  'bb',
  'ccccc',
)
const value: fc.Arbitrary<Plain> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar, { maxKeys: 3 }),
)
const limit = fc.integer({ min: 0, max: 5 })
const schema: fc.Arbitrary<PlainObject> = fc.letrec<{ node: PlainObject }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constant({}),
    fc.record({ type: fc.constantFrom('null', 'boolean') }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'bb', 1, 2), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<Plain>('a', 1) }),
    fc.record(
      {
        type: fc.constantFrom('number', 'integer'),
        minimum: limit,
        maximum: limit,
        multipleOf: fc.constantFrom(1, 2, 4),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      {
        type: fc.constant('string'),
        minLength: limit,
        maxLength: limit,
        pattern: fc.constantFrom('^a', 'c$'),
      },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('array'), items: tie('node'), minItems: limit, maxItems: limit },
      // The validator ignores the limits of an array without items.
      { requiredKeys: ['type', 'items'] },
    ),
    fc
      .record(
        {
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('node'), { maxKeys: 2 }),
          required: fc.uniqueArray(fc.constantFrom('a', 'b')),
          additionalProperties: fc.oneof(fc.boolean(), tie('node')),
        },
        { requiredKeys: ['type', 'properties'] },
      )
      .map(({ required, ...rest }) => ({
        ...rest,
        // The validator ignores required names without a property, which JSON Schema does not.
        ...(required && {
          required: required.filter((name) => Object.hasOwn(rest.properties, name)),
        }),
      })),
  ),
})).node

/** A schema and one that differs from it in few places, so that many pairs are compatible. */
const pair = fc.oneof(
  fc.tuple(schema, schema),
  fc
    .tuple(schema, limit, fc.constantFrom('minimum', 'maxLength', 'maxItems', 'required', 'type'))
    .map(([before, number, keyword]): [PlainObject, PlainObject] => {
      const after = { ...before }
      if (keyword === 'required') delete after['required']
      else if (keyword === 'type' && before['type'] === 'integer') after['type'] = 'number'
      else if (keyword in after) after[keyword] = number
      return [before, after]
    }),
)

describe('compareSchemas', () => {
  it('a schema that is not narrower accepts every value of the first', { tags: ['slow'] }, () => {
    let compatible = 0
    fc.assert(
      fc.property(
        pair,
        fc.array(value, { minLength: 12, maxLength: 12 }),
        ([before, after], values) => {
          const changes = compareSchemas(before, after)
          if (changes.some(({ effect }) => effect === 'narrowed' || effect === 'changed')) return
          compatible += 1
          for (const each of values)
            if (accepts(before, each)) expect(accepts(after, each)).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
    expect(compatible).toBeGreaterThan(RUNS / 10)
  })

  it('a schema that is not wider has only values of the first', () => {
    fc.assert(
      fc.property(
        pair,
        fc.array(value, { minLength: 12, maxLength: 12 }),
        ([before, after], values) => {
          const changes = compareSchemas(before, after)
          if (changes.some(({ effect }) => effect === 'widened' || effect === 'changed')) return
          for (const each of values)
            if (accepts(after, each)) expect(accepts(before, each)).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it.each<[name: string, schemas: [Plain, Plain], effects: string[]]>([
    ['a keyword that is not known', [{ futureKeyword: 1 }, { futureKeyword: 2 }], ['changed']],
    [
      'a referenced definition',
      [
        { $ref: '#/$defs/a', $defs: { a: {} } },
        { $ref: '#/$defs/a', $defs: { a: false } },
      ],
      ['changed'],
    ],
    [
      'a pattern of names',
      [{ patternProperties: { a: {} } }, { patternProperties: { a: false } }],
      ['changed'],
    ],
    ['a tuple', [{ prefixItems: [{}] }, { prefixItems: [false] }], ['changed']],
    ['false instead of a schema', [{}, false], ['narrowed']],
    ['a schema instead of false', [false, {}], ['widened']],
    ['a title', [{ title: 'a' }, { title: 'b' }], ['described']],
    [
      'keys in another order',
      [
        { type: 'string', minLength: 1 },
        { minLength: 1, type: 'string' },
      ],
      [],
    ],
    [
      'a closed object',
      [{ type: 'object' }, { type: 'object', additionalProperties: false }],
      ['narrowed'],
    ],
  ])('%s is found', (_, [before, after], effects) => {
    expect(compareSchemas(before, after).map(({ effect }) => effect)).toEqual(effects)
  })

  it('schemas that are nested very deep end with a change', () => {
    const nest = (leaf: Plain): Plain => {
      let node = leaf
      for (let depth = 0; depth < 500; depth++) node = { type: 'array', items: node }
      return node
    }
    const changes = compareSchemas(nest({ type: 'string' }), nest({ type: 'number' }))
    expect(changes.map(({ effect }) => effect)).toEqual(['changed'])
  })
})

const input: fc.Arbitrary<SkillInput> = fc
  .record({
    type: fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'any' as const),
    required: fc.boolean(),
    hasDefault: fc.boolean(),
    values: fc.option(
      fc.uniqueArray(fc.constantFrom<Plain>('a', 'bb', 1, 2, true), { minLength: 1 }),
    ),
    default: scalar,
  })
  .map(({ type, required, hasDefault, values, default: preset }) => ({
    type,
    required,
    description: undefined,
    default: hasDefault ? preset : undefined,
    enum: values ?? undefined,
  }))
const inputs = fc.dictionary(fc.constantFrom('a', 'b'), input, { maxKeys: 2 })

function toSide(side: 'before' | 'after', declared: Record<string, SkillInput>): ComparedSide {
  const manifest = { inputs: declared, runtime: undefined }
  return {
    side,
    skill: { manifest, toml: undefined, markdown: undefined },
  } as unknown as ComparedSide
}

describe('compareInputs', () => {
  it('a call that worked before works after, unless a difference is major', async () => {
    let compatible = 0
    const calls = fc.array(fc.dictionary(fc.constantFrom('a', 'b'), scalar, { maxKeys: 2 }), {
      minLength: 10,
      maxLength: 10,
    })
    await fc.assert(
      fc.asyncProperty(inputs, inputs, calls, async (before, after, passed) => {
        const found = compareInputs(toSide('before', before), toSide('after', after))
        if (found.some(({ code }) => DIFFERENCE_CODES[code] === 'major')) return
        compatible += 1
        for (const args of passed) {
          // An argument that was not declared has no contract.
          if (Object.keys(args).some((name) => !Object.hasOwn(before, name))) continue
          const first = await runInSlices(checkInputs({ inputs: before }, args, []))
          if (first.problem) continue
          const second = await runInSlices(checkInputs({ inputs: after }, args, []))
          expect(second.problem).toBeUndefined()
        }
      }),
      { numRuns: RUNS },
    )
    expect(compatible).toBeGreaterThan(RUNS / 20)
  })
})
