{{- define "skills.selector" -}}
app.kubernetes.io/name: skills-fleet
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .pool }}
skills/pool: {{ . }}
{{- end }}
{{- end }}

{{- define "skills.labels" -}}
{{ include "skills.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "skills.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- /* What all containers of nodes may do. Workers have a context of their own. */ -}}
{{- define "skills.restricted" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- /* The user "node" of the image. Files of Secrets are readable by the group. */ -}}
{{- define "skills.user" -}}
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
{{- end }}

{{- define "skills.env" -}}
- name: HOME
  value: /var/lib/skills
- name: SKILLS_FLEET_SERVERS
  value: {{ join "," .root.Values.engine.servers | quote }}
- name: SKILLS_FLEET_TENANT
  value: {{ .root.Values.engine.tenant | quote }}
{{- if .root.Values.secrets.ca }}
- name: SKILLS_FLEET_CA
  value: /etc/skills/ca.crt
{{- end }}
{{- if .root.Values.secrets.key }}
- name: SKILLS_FLEET_KEY
  value: /etc/skills/fleet.key
{{- end }}
{{- if .seeds }}
- name: SKILLS_FLEET_SEED
  value: /etc/skills/node.seed
{{- end }}
{{- end }}

{{- /* A seed and a key are refused if their group can read them, as it can read files of a Secret. */ -}}
{{- define "skills.copyFiles" -}}
- name: files
  {{- include "skills.image" .root | nindent 2 }}
  command: [sh, -ec]
  args:
    - |
      umask 277
      cd /run/given
      for file in *; do
        case $file in
          '*') ;;
          "$SEED") cp -f "$file" /etc/skills/node.seed ;;
          *.seed) ;;
          *) cp -f "$file" /etc/skills/ ;;
        esac
      done
  env:
    - name: POD
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
    - name: SEED
      value: {{ .seed | quote }}
  securityContext:
    {{- include "skills.restricted" . | nindent 4 }}
  volumeMounts:
    - name: given
      mountPath: /run/given
      readOnly: true
    - name: files
      mountPath: /etc/skills
{{- end }}

{{- define "skills.mounts" -}}
- name: home
  mountPath: /var/lib/skills
- name: tmp
  mountPath: /tmp
- name: files
  mountPath: /etc/skills
  readOnly: true
{{- if .Values.configMap }}
- name: config
  mountPath: /var/lib/skills/.config/skills
  readOnly: true
{{- end }}
{{- end }}

{{- define "skills.volumes" -}}
- name: tmp
  emptyDir: {}
- name: files
  emptyDir:
    medium: Memory
- name: given
  projected:
    defaultMode: 0440
    sources:
      {{- range .secrets }}
      {{- if . }}
      - secret:
          name: {{ . }}
      {{- end }}
      {{- end }}
{{- if .root.Values.configMap }}
- name: config
  configMap:
    name: {{ .root.Values.configMap }}
{{- end }}
{{- end }}

{{- define "skills.spread" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "skills.selector" . | nindent 12 }}
{{- end }}
