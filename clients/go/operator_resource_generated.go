// Code generated from docs/openapi.json by clients/generator (npm run generate). DO NOT EDIT.

package earnest

import "context"

// OperatorActsListQuery is what client.Operator.Acts.List may be asked with.
type OperatorActsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string `json:"cursor,omitzero"`
}

// OperatorActsResource is client.Operator.Acts.
type OperatorActsResource struct {
	sender sender
}

func newOperatorActsResource(sender sender) *OperatorActsResource {
	return &OperatorActsResource{sender: sender}
}

// List: list the acts of all operators, newest first.
func (r *OperatorActsResource) List(ctx context.Context, query OperatorActsListQuery, opts ...Option) *List[OperatorModeration, OperatorModerationPage] {
	return newList[OperatorModeration, OperatorModerationPage](ctx, r.sender, call{operation: "listModerationActs", verb: "GET", path: "/operator/acts", query: query}, func(page *OperatorModerationPage) ([]OperatorModeration, *string) { return page.Items, page.NextCursor }, opts)
}

// OperatorDeliveriesResource is client.Operator.Deliveries.
type OperatorDeliveriesResource struct {
	sender sender
}

func newOperatorDeliveriesResource(sender sender) *OperatorDeliveriesResource {
	return &OperatorDeliveriesResource{sender: sender}
}

// Resend: send a webhook delivery again that failed for good. To the same endpoint, with the same body.
// Its whole schedule starts again. The reason is in the audit log.
func (r *OperatorDeliveriesResource) Resend(ctx context.Context, deliveryID string, body WebhookResendRequest, opts ...Option) (*ResentWebhookDelivery, error) {
	return send[ResentWebhookDelivery](ctx, r.sender, call{operation: "resendFailedDelivery", verb: "POST", path: pathOf("/operator/deliveries/%s/resend", deliveryID), body: body, takesKey: true}, opts)
}

// OperatorFilesResource is client.Operator.Files.
type OperatorFilesResource struct {
	sender sender
}

func newOperatorFilesResource(sender sender) *OperatorFilesResource {
	return &OperatorFilesResource{sender: sender}
}

// CreateLink: make a short-lived link to a reported file. Of a file that was reported, or that a reported
// message names: while the report waits for an answer, and while an act withholds the file or the message.
// Each link is in the audit log with the report. The bytes are a stranger's: do not run them.
func (r *OperatorFilesResource) CreateLink(ctx context.Context, fileID string, opts ...Option) (*FileLink, error) {
	return send[FileLink](ctx, r.sender, call{operation: "createReportedFileLink", verb: "POST", path: pathOf("/operator/files/%s/link", fileID), takesKey: true}, opts)
}

// OperatorSubjectsListQuery is what client.Operator.Subjects.List may be asked with.
type OperatorSubjectsListQuery struct {
	// The most items of a page. Unless given: 20.
	Limit int64 `json:"limit,omitzero"`
	// The number of items to skip. Not together with `cursor`. Unless given: 0.
	Offset int64 `json:"offset,omitzero"`
	// `next_cursor` of the previous page, with the same query.
	Cursor string      `json:"cursor,omitzero"`
	Kind   SubjectKind `json:"kind,omitzero"`
	// Unless given: false.
	Withheld Opt[bool] `json:"withheld,omitzero"`
}

// OperatorSubjectsResource is client.Operator.Subjects.
type OperatorSubjectsResource struct {
	sender sender
}

func newOperatorSubjectsResource(sender sender) *OperatorSubjectsResource {
	return &OperatorSubjectsResource{sender: sender}
}

// List: list the subjects that wait for an operator: appealed ones first, then those with the most counted
// reports. With `withheld=true`, the subjects that are suspended, hidden or banned, the latest first.
func (r *OperatorSubjectsResource) List(ctx context.Context, query OperatorSubjectsListQuery, opts ...Option) *List[ModerationSubject, ModerationSubjectPage] {
	return newList[ModerationSubject, ModerationSubjectPage](ctx, r.sender, call{operation: "listModerationSubjects", verb: "GET", path: "/operator/subjects", query: query}, func(page *ModerationSubjectPage) ([]ModerationSubject, *string) { return page.Items, page.NextCursor }, opts)
}

// Get: read a subject with its reports and the acts on it. Of any agent, service, review or account, and
// of a message or a file that was reported.
func (r *OperatorSubjectsResource) Get(ctx context.Context, subjectID string, opts ...Option) (*ModerationSubjectDetail, error) {
	return send[ModerationSubjectDetail](ctx, r.sender, call{operation: "readModerationSubject", verb: "GET", path: pathOf("/operator/subjects/%s", subjectID)}, opts)
}

// Act: suspend, hide, ban or restore a subject, or dismiss its reports. `suspend` is for agents and
// services, `hide` for reviews, messages and files, `ban` for accounts. `restore` ends any of them.
// `dismiss` changes nothing. Each answers the open reports and the appeal. The reason is in the audit log,
// and the owner reads it. Open orders continue: no act touches an order or its money. An operator acts at
// most 200 times an hour, and never on a subject of their own account or organisation.
func (r *OperatorSubjectsResource) Act(ctx context.Context, subjectID string, body ModerationActRequest, opts ...Option) (*OperatorModeration, error) {
	return send[OperatorModeration](ctx, r.sender, call{operation: "actOnSubject", verb: "POST", path: pathOf("/operator/subjects/%s/acts", subjectID), body: body, takesKey: true}, opts)
}

// OperatorResource is client.Operator.
type OperatorResource struct {
	sender     sender
	Acts       *OperatorActsResource
	Deliveries *OperatorDeliveriesResource
	Files      *OperatorFilesResource
	Subjects   *OperatorSubjectsResource
}

func newOperatorResource(sender sender) *OperatorResource {
	return &OperatorResource{sender: sender, Acts: newOperatorActsResource(sender), Deliveries: newOperatorDeliveriesResource(sender), Files: newOperatorFilesResource(sender), Subjects: newOperatorSubjectsResource(sender)}
}

// GetState: read the state of the service: relayers, indexes, queues, disputes, growth. From what the
// workers wrote last. Every list and count is bounded. Queues are counted every 5 seconds, and growth
// every minute.
func (r *OperatorResource) GetState(ctx context.Context, opts ...Option) (*ServiceState, error) {
	return send[ServiceState](ctx, r.sender, call{operation: "readServiceState", verb: "GET", path: "/operator/state"}, opts)
}
