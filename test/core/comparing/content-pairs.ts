import { createExampleToml } from '../../../src/core/lint/example-skill.ts'
import { inputs, runtime, front, body, python, result, type Pair } from './pair.ts'

export const CONTENT_PAIRS: readonly Pair[] = [
  // Inputs
  {
    name: 'an input less',
    before: inputs('a = { type = "string" }', 'b = { type = "string" }'),
    after: inputs('a = { type = "string" }'),
    finds: ['inputs/removed b'],
  },
  {
    name: 'an optional input',
    before: inputs('a = { type = "string" }'),
    after: inputs('a = { type = "string" }', 'b = { type = "string" }'),
    finds: ['inputs/added-optional b'],
  },
  {
    name: 'a required input',
    before: inputs('a = { type = "string" }'),
    after: inputs('a = { type = "string" }', 'b = { type = "string", required = true }'),
    finds: ['inputs/added-required b'],
  },
  {
    name: 'an input that is required now',
    before: inputs('a = { type = "string" }'),
    after: inputs('a = { type = "string", required = true }'),
    finds: ['inputs/now-required a'],
  },
  {
    name: 'an input that is optional now',
    before: inputs('a = { type = "string", required = true }'),
    after: inputs('a = { type = "string" }'),
    finds: ['inputs/now-optional a'],
  },
  {
    name: 'a narrower type',
    before: inputs('a = { type = "number" }'),
    after: inputs('a = { type = "integer" }'),
    finds: ['inputs/narrowed a'],
  },
  {
    name: 'a wider type',
    before: inputs('a = { type = "integer" }'),
    after: inputs('a = { type = "number" }'),
    finds: ['inputs/widened a'],
  },
  {
    name: 'a value less',
    before: inputs('a = { type = "string", enum = ["x", "y"] }'),
    after: inputs('a = { type = "string", enum = ["x"] }'),
    finds: ['inputs/narrowed a'],
  },
  {
    name: 'a value more',
    before: inputs('a = { type = "string", enum = ["x"] }'),
    after: inputs('a = { type = "string", enum = ["x", "y"] }'),
    finds: ['inputs/widened a'],
  },
  {
    name: 'another default and description',
    before: inputs('a = { type = "string", default = "x", description = "One" }'),
    after: inputs('a = { type = "string", default = "y", description = "Two" }'),
    finds: ['inputs/default-changed a', 'inputs/described a'],
  },
  {
    name: 'a closed list of inputs',
    before: runtime(''),
    after: runtime('additional_inputs = false'),
    finds: ['inputs/undeclared-refused additional_inputs'],
  },
  {
    name: 'an open list of inputs',
    before: runtime('additional_inputs = false'),
    after: runtime('additional_inputs = true'),
    finds: ['inputs/undeclared-accepted additional_inputs'],
  },
  // Result
  {
    name: 'a schema of the result',
    after: result('type = "object"'),
    finds: ['result/added result'],
  },
  {
    name: 'no schema of the result',
    before: result('type = "object"'),
    finds: ['result/removed result'],
  },
  {
    name: 'a result of another type',
    before: result('type = "string"'),
    after: result('type = ["string", "null"]'),
    finds: ['result/widened result type'],
  },
  {
    name: 'a result with a further guarantee',
    before: result('type = "object"'),
    after: result('type = "object"\nrequired = ["rows"]'),
    finds: ['result/narrowed rows required'],
  },
  // Metadata
  {
    name: 'another version',
    after: { 'skill.toml': createExampleToml({ version: '"0.2.0"' }) },
    finds: ['metadata/version-changed version'],
  },
  {
    name: 'a lower version',
    after: { 'skill.toml': createExampleToml({ version: '"0.0.9"' }) },
    finds: ['metadata/version-lowered version'],
  },
  {
    name: 'another name and tags',
    after: { 'skill.toml': createExampleToml({ name: '"demo.hello"', tags: '["demo"]' }) },
    finds: ['metadata/name-changed name', 'metadata/key-changed tags'],
  },
  {
    name: 'a license, and a key of a host',
    after: front('license: MIT\nmodel: opus'),
    finds: [
      'metadata/license-changed license in SKILL.md',
      'metadata/host-key-changed model in SKILL.md',
    ],
  },
  {
    name: 'a manifest that is not valid',
    after: { 'skill.toml': createExampleToml({ version: '"one"' }) },
    finds: ['metadata/version-changed version', 'metadata/not-valid skill.toml'],
  },
  // Instructions
  {
    name: 'other line breaks',
    before: body('One two\nthree.\n'),
    after: body('One\ntwo three.\n'),
    finds: ['instructions/reflowed SKILL.md'],
  },
  {
    name: 'a further document',
    after: { 'references/more.md': 'Do more.\n' },
    finds: ['instructions/added references/more.md'],
  },
  {
    name: 'a document less',
    before: { 'references/more.md': 'Do more.\n' },
    finds: ['instructions/removed references/more.md'],
  },
  // Files
  {
    name: 'a file that is moved',
    before: { 'resources/a.csv': 'a,b\n' },
    after: { 'resources/b.csv': 'a,b\n' },
    finds: ['files/renamed resources/b.csv'],
  },
  {
    name: 'a link instead of a file',
    before: { 'resources/a.csv': 'a,b\n' },
    after: { 'resources/a.csv': { link: '../SKILL.md' } },
    finds: ['files/type-changed resources/a.csv'],
  },
  {
    name: 'a file less',
    before: { 'resources/a.csv': 'a,b\n' },
    finds: ['files/removed resources/a.csv'],
  },
  // Hidden text
  {
    name: 'a bidirectional character',
    after: body('See \u202Egnp.exe\n'),
    finds: ['hidden-text/bidirectional U+202E', 'instructions/changed SKILL.md'],
  },
  {
    name: 'a tag character in a file with an unknown extension',
    after: { 'resources/x.foo': 'Hi\u{E0041}\n' },
    finds: ['hidden-text/invisible U+E0041'],
  },
  {
    name: 'an invisible character that was there before, in a line that moves',
    before: body('Hid\u200Bden.\n'),
    after: body('First.\nHid\u200Bden.\n'),
    finds: ['instructions/changed SKILL.md'],
  },
  {
    name: 'a control character',
    after: python('# \u001B[31m'),
    finds: ['hidden-text/control U+001B'],
  },
  {
    name: 'an input whose name mixes scripts',
    before: inputs('name = { type = "string" }'),
    after: inputs('name = { type = "string" }', '"n\u0430me" = { type = "string" }'),
    finds: ['hidden-text/mixed-scripts n\u0430me', 'inputs/added-optional n\u0430me'],
  },
  {
    name: 'a file whose name looks like another',
    before: { 'resources/cap': 'x' },
    after: { 'resources/cap': 'x', 'resources/\u0441\u0430\u0440': 'y' },
    finds: ['hidden-text/lookalike-name resources/\u0441\u0430\u0440'],
  },
]
