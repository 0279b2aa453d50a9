// 40 tasks of an agent: ten kinds, each with four variants. A task is what a scripted model does, in words that both
// families of tools know, and the files that must be there at the end.
const PEOPLE = ['Ada', 'Grace', 'Edsger', 'Barbara']
const SIZES = [3000, 6000, 12_000, 24_000]

const KINDS = {
  'a script of a skill writes a report': (name) => ({
    async play(tools) {
      await tools.runSkill(`python3 scripts/report.py --name ${name} > "$OUTPUT_DIR/${name}.txt"`, {
        outputs: [`out/${name}.txt`],
      })
    },
    files: { [`out/${name}.txt`]: `Report for ${name}: ${name.length} letters\n` },
  }),
  'a program is written, run and repaired': (name) => ({
    async play(tools) {
      await tools.write('work/count.py', `print(len("${name}) )\n`)
      await tools.run('python3 count.py')
      await tools.replace('work/count.py', `"${name}) )`, `"${name}"))`)
      await tools.run('python3 count.py > result.txt && cat result.txt')
    },
    files: { 'work/result.txt': `${name.length}\n` },
  }),
  'a value is changed, and the tests run': (name, at) => ({
    async play(tools) {
      await tools.write('work/prices.json', `{ "base": ${at}, "tax": 2 }\n`)
      await tools.write('work/test.sh', TEST)
      await tools.run('sh test.sh')
      await tools.replace('work/prices.json', `"base": ${at}`, '"base": 40')
      await tools.run('sh test.sh')
    },
    files: { 'work/prices.json': '{ "base": 40, "tax": 2 }\n', 'work/passed': 'ok\n' },
  }),
  'a line is found in a long output': (name, at) => ({
    async play(tools) {
      const command = `seq 1 ${SIZES[at]} | sed "s/^$((${SIZES[at]} / 2))$/& ${name} was here/"`
      const line = await tools.find(command, `${name} was here`)
      await tools.write('out/line.txt', line)
    },
    files: { 'out/line.txt': `${SIZES[at] / 2} ${name} was here` },
  }),
  'a dialogue in a terminal': (name) => ({
    async play(tools) {
      const id = await tools.open('read a; echo "hello $a"; read b; echo "$a-$b" > pair.txt')
      await tools.type(id, name)
      await tools.type(id, 'second')
    },
    files: { 'work/pair.txt': `${name}-second\n` },
  }),
  'a server in the background is asked and ended': (name) => ({
    async play(tools) {
      await tools.write('work/site/page.txt', `page of ${name}\n`)
      const id = await tools.open('exec python3 -m http.server 8123 --bind 127.0.0.1 -d site')
      await tools.run(
        'for i in 1 2 3 4 5 6 7 8 9; do curl -fs http://127.0.0.1:8123/page.txt -o got.txt && break; sleep 0.3; done; cat got.txt',
      )
      await tools.end(id)
    },
    files: { 'work/got.txt': `page of ${name}\n` },
  }),
  'files are listed, read and joined': (name) => ({
    async play(tools) {
      for (const part of ['one', 'two', 'three'])
        await tools.write(`work/parts/${part}.txt`, `${name} ${part}\n`)
      await tools.list('work/parts')
      await tools.read('work/parts/one.txt')
      await tools.read('work/parts/two.txt')
      await tools.run('cat parts/one.txt parts/two.txt parts/three.txt > ../out/all.txt')
    },
    files: { 'out/all.txt': `${name} one\n${name} two\n${name} three\n` },
  }),
  'a table is summed up and saved': (name, at) => ({
    async play(tools) {
      await tools.write('work/table.csv', `city,rain\n${name},${at}\nrest,${at + 1}\n`)
      await tools.run("awk -F, 'NR > 1 { n += $2 } END { print n }' table.csv > ../out/sum.txt")
      await tools.save('out/sum.txt')
    },
    files: { 'out/sum.txt': `${2 * at + 1}\n` },
  }),
  'a document of a skill is read before its script runs': (name) => ({
    async play(tools) {
      await tools.docs(['GUIDE.md'])
      await tools.runSkill(
        `python3 scripts/report.py --name ${name} --upper > "$OUTPUT_DIR/up.txt"`,
        { outputs: ['out/up.txt'] },
      )
    },
    files: { 'out/up.txt': `REPORT FOR ${name.toUpperCase()}: ${name.length} LETTERS\n` },
  }),
  'a failed command is read and tried again': (name) => ({
    async play(tools) {
      await tools.runSkill('python3 scripts/report.py')
      await tools.run(`cat missing.txt`)
      await tools.runSkill(`python3 scripts/report.py --name ${name} > "$OUTPUT_DIR/again.txt"`)
      await tools.read('out/again.txt')
    },
    files: { 'out/again.txt': `Report for ${name}: ${name.length} letters\n` },
  }),
}

const TEST = `base=$(sed 's/.*"base": \\([0-9]*\\).*/\\1/' prices.json)
if [ "$base" -eq 40 ]; then echo "ok 1 - the base is 40"; echo ok > passed
else echo "not ok 1 - the base is $base, expected 40"; exit 1; fi
`

export const TASKS = Object.entries(KINDS).flatMap(([kind, create]) =>
  PEOPLE.map((name, at) => ({ kind, ...create(name, at) })),
)

export const SKILL = {
  'SKILL.md': `---
name: demo.report
description: Writes a report for a person.
---
Run \`python3 scripts/report.py --name NAME\`, and write its output to "$OUTPUT_DIR".
`,
  'GUIDE.md': '# Guide\nWith `--upper` the report is in capitals.\n',
  'scripts/report.py': `import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--name', required=True)
parser.add_argument('--upper', action='store_true')
args = parser.parse_args()
text = f'Report for {args.name}: {len(args.name)} letters'
print(text.upper() if args.upper else text)
`,
}
