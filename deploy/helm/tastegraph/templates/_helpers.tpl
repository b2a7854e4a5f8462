{{- define "tastegraph.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "tastegraph.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- /* A tag may have 128 characters, a label 63, and the last must be a letter or digit. */}}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: tastegraph
{{- end }}

{{/* The labels of what belongs to no role. */}}
{{- define "tastegraph.sharedLabels" -}}
{{ include "tastegraph.labels" . }}
app.kubernetes.io/name: tastegraph
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The immutable labels of a role's pods. Takes (dict "root" $ "role" "api"). */}}
{{- define "tastegraph.selector" -}}
app.kubernetes.io/name: tastegraph
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "tastegraph.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "tastegraph.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "tastegraph.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "tastegraph.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "tastegraph.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "tastegraph.env" -}}
HOST: 0.0.0.0
PORT: "8080"
METRICS_PORT: {{ .Values.metrics.port | quote }}
DRAIN_SECONDS: {{ .Values.settings.drainSeconds | quote }}
OBJECTS_URL: {{ .Values.settings.objectsUrl | quote }}
BASE_URL: {{ .Values.settings.baseUrl | quote }}
SERVING_BASE_URL: {{ .Values.settings.servingBaseUrl | default .Values.settings.baseUrl | quote }}
CELL: {{ .Values.settings.cell | quote }}
LOG_LEVEL: {{ .Values.settings.logLevel | quote }}
RESULT_RETENTION_DAYS: {{ .Values.settings.resultRetentionDays | quote }}
MODEL_RETENTION_DAYS: {{ .Values.settings.modelRetentionDays | quote }}
JOB_RETENTION_DAYS: {{ .Values.settings.jobRetentionDays | quote }}
TRUST_PROXY: {{ required "settings.trustProxy is not set: set it to the network of the ingress pods, for example 10.0.0.0/8, or to none" .Values.settings.trustProxy | quote }}
{{- range $name, $value := .Values.settings.extra }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}
