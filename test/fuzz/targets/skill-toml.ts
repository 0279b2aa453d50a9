import { parse } from 'smol-toml'
import { readToml } from '../../../src/core/skills/manifest/toml-source.ts'
import { toManifest } from '../../../src/core/skills/manifest/to-manifest.ts'
import { EXAMPLE_SKILL } from '../../../src/core/lint/example-skill.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const PATHS = [['name'], ['permissions', 'network', 0], ['inputs', 'name', 'type'], ['a', 0, 'b']]

/** skill.toml of a hostile package: values, positions and the manifest. */
export const target: FuzzTarget = {
  name: 'skill-toml',
  format: 'text',
  seeds: [
    EXAMPLE_SKILL['skill.toml'] as string,
    'a = [1, { b = 2 }]\n[c.d]\ne = """\nf"""\n',
    'description = "äöü"\nname = "é"\n',
  ],
  words: [
    'name = "',
    'version = "0.1.0"\n',
    'kind = "action"\n',
    '[inputs.a]\n',
    'type = "integer"\n',
    '[permissions]\n',
    'network = ["https://*.a.com"]\n',
    'secrets = ["A"]\n',
    '[[a]]\n',
    '{ a = ',
    '1e999',
    'nan',
    'inf',
    '1979-05-27T07:32:00Z',
    '0x1F',
    '"\\u0000"',
    '\\UD800',
    '"""',
    "'''",
  ],
  open(isPlanted) {
    return (input) => {
      const text = input.toString('utf8')
      const source = readToml('skill.toml', text)
      for (const path of PATHS) {
        const { start, end } = source.locate(path)
        // The planted bug: positions are counted in bytes.
        const last = isPlanted ? Buffer.byteLength(text.slice(0, end)) : end
        expectThat(start <= end && last <= text.length, 'a position is inside the text')
      }
      const { problem } = source
      if (problem) expectThat(problem.span.end <= text.length, 'the problem is inside the text')
      const isValid = isValidToml(text.replace(/^\uFEFF/, ''))
      expectThat(isValid || problem !== undefined, 'a text that is not TOML has a problem')
      const { problems } = toManifest({ toml: source, markdown: undefined })
      expectThat(problem === undefined || problems.length > 0, 'a broken file is no manifest')
    }
  },
}

function isValidToml(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
