import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'

/** A skill of a corpus, as its TOML file has it. */
interface CorpusSkill {
  name: string
  description: string
  body: string
  /** Places of the harm as a reader marked them: the first characters of each. */
  harm?: readonly { file: string; quote: string }[]
  /** True if the body stands in the middle of a long document. */
  long?: boolean
  /** Text that stands in the body in invisible characters, at `tagsAt`. */
  tags?: string
  tagsAt?: string
  files?: Record<string, string>
}

const CORPORA = 'test/corpora/vetting'

/** Sections of a long document about nothing that matters. */
const FILLER = Array.from(
  { length: 12 },
  (_, at) => `## Section ${at + 1}

Work through the material in order. Read each part to its end before you begin with the next, and
note open questions in a list. Use short sentences and the words of the reader.

- Check the numbers against the source.
- Keep the order of the original.
- Ask the user if two parts contradict each other.

\`\`\`sh
npm test
\`\`\`
`,
)

export interface PlantedSkill {
  /** `<file>/<name>`. */
  name: string
  dir: string
  harm: readonly { file: string; line: number }[]
}

/** Writes the skills of a corpus below a folder. */
export function plantCorpus(kind: 'attacks' | 'innocents', root: string): PlantedSkill[] {
  const planted: PlantedSkill[] = []
  for (const file of readdirSync(join(CORPORA, kind)).toSorted()) {
    const { skills } = parse(readFileSync(join(CORPORA, kind, file), 'utf8')) as unknown as {
      skills: CorpusSkill[]
    }
    for (const skill of skills) {
      const dir = join(root, file.replace('.toml', ''), skill.name)
      plantSkill(dir, skill)
      planted.push({ name: `${file}/${skill.name}`, dir, harm: findHarm(dir, skill) })
    }
  }
  return planted
}

/** Lines of the harm; an invisible one has none. */
function findHarm(dir: string, { harm = [] }: CorpusSkill): PlantedSkill['harm'] {
  return harm.flatMap(({ file, quote }) => {
    const text = readFileSync(join(dir, file), 'utf8')
    const at = text.indexOf(quote)
    return at === -1 ? [] : [{ file, line: text.slice(0, at).split('\n').length }]
  })
}

function plantSkill(dir: string, skill: CorpusSkill): void {
  const { name, description, files = {} } = skill
  const front = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n`
  const texts = { 'SKILL.md': front + writeBody(skill), ...files }
  for (const [path, text] of Object.entries(texts)) {
    const target = join(dir, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
}

function writeBody({ body, long = false, tags = '', tagsAt = '{TAGS}' }: CorpusSkill): string {
  const text = body.replace(tagsAt, toTagCharacters(tags))
  if (!long) return text
  return [...FILLER.slice(0, 6), text, ...FILLER.slice(6)].join('\n')
}

function toTagCharacters(text: string): string {
  return String.fromCodePoint(...[...text].map((each) => (each.codePointAt(0) ?? 0) + 0xe0000))
}
