import { COMPLETE, type ProjectFile } from './project-file.ts'

const TEXT = `name: skills

on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  lint:
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22

      - name: Install skills
        # Until skills-protocol is published, commit an archive of "npm pack" and write its path here instead.
        run: npm install --global skills-protocol@0
      - name: Lint
        # Findings become annotations of the pull request.
        run: skills lint --format github
      - name: Set up the sandbox
        # Ubuntu allows user namespaces only to programs with a profile of AppArmor.
        run: |
          sudo apt-get update
          sudo apt-get install --yes bubblewrap apparmor-profiles
          sudo ln -sf /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/
          sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict
      - name: Test
        # Exit code 3: no skill has tests yet.
        run: skills test || [ $? -eq 3 ]
`

/** Lints and tests all skills on GitHub Actions. */
export const WORKFLOW_FILE: ProjectFile = {
  path: '.github/workflows/skills.yml',
  aliases: ['.github/workflows/skills.yaml'],
  purpose: 'CI workflow',
  create: () => TEXT,
  merge: (text) =>
    /\bskills lint\b/.test(text)
      ? COMPLETE
      : { type: 'manual', advice: 'add a step that runs "skills lint --format github"' },
}
